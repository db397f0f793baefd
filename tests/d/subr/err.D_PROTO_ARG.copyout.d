/* refused */
BEGIN { copyout(5, 1, 4); exit(0); }
