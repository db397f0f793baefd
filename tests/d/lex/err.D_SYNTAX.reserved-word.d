/* goto is reserved */
BEGIN { goto = 1; exit(0); }
