/* the whole program is compiled before a missing process is an error */
syscall::read:entry { trace(args[7]); }
