/* refused */
BEGIN { bcopy("abc", alloca(4), 4); exit(0); }
