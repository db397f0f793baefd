/* NULL is a constant */
BEGIN { NULL = 3; exit(0); }
