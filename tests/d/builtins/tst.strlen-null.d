/* NULL is a bad address */
string n;
BEGIN { x = strlen(n); }
BEGIN { exit(0); }
