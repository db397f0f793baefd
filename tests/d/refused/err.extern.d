/* refused by name until it is written */
extern int x;
BEGIN { exit(0); }
