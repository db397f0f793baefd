/* refused */
BEGIN { stop(1); exit(0); }
