/* refused */
BEGIN { copyout("abc", 1, 4); exit(0); }
