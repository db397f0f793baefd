/* refused by name until it is written */
BEGIN { x = xlate < int > (1); exit(0); }
