/* run: -c @once@ */
syscall::read:return { trace(args[2]); }
