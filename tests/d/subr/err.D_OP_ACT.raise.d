/* refused */
BEGIN { 1 ? raise(9) : raise(1); exit(0); }
