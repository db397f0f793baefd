/* a global string that nothing was stored in is empty, not NULL */
string n;
BEGIN { printf("%d\n", strlen(n)); exit(0); }
