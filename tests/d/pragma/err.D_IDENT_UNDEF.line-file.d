/* and its file */
#line 7 "other.d"
BEGIN { trace(nosuch); exit(0); }
