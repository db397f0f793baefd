/* refused */
BEGIN { copyout(alloca(1), 2); exit(0); }
