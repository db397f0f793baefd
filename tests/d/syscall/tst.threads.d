/* calls of another thread */
/* run: -c "@caller@" */
syscall::getuid:entry { printf("%d %d\n", pid == $target, tid != pid); }
syscall::getuid:return { printf("%d\n", arg1 == uid); }
