/* read() and readlink() do not agree */
/* run: -c @once@ */
syscall::read*:entry { trace(args[0]); }
