/* run: -c @once@ */
syscall::read:entry { trace(args[3]); }
