/* positions follow #line */
BEGIN { x = 1; }
#line 70
BEGIN { trace(nosuch); exit(0); }
