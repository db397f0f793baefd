/* run: -c @once@ */
syscall::exit_group:return { exit(0); }
