/* refused by name until it is written */
BEGIN { x = offsetof(int, a); exit(0); }
