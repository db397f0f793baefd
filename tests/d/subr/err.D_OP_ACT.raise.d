/* refused */
BEGIN { pid ? raise(9) : raise(1); exit(0); }
