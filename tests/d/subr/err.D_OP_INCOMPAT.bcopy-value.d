/* refused */
BEGIN { x = bcopy(alloca(1), alloca(1), 1); exit(0); }
