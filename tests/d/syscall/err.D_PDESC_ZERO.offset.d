/* run: -c @once@ */
syscall::read:4 { exit(0); }
