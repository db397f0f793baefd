/* a failed execve, one that succeeds, and calls of the new image */
/* run: -c "@caller@ @once@" */
syscall::execve:entry { printf("%s\n", copyinstr(arg0)); }
syscall::execve:return { printf("%d %d %s\n", arg0, errno, execname); }
syscall::exit_group:entry { printf("%s %d\n", execname, arg0); }
