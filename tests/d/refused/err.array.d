/* refused by name until it is written */
int a[3];
BEGIN { exit(0); }
