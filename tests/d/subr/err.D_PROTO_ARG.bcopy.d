/* refused */
BEGIN { bcopy(5, alloca(4), 4); exit(0); }
