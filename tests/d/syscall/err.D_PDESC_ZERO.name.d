/* run: -c @once@ */
syscall::raed:entry { exit(0); }
