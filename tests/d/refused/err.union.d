/* refused by name until it is written */
union u { int a; };
BEGIN { exit(0); }
