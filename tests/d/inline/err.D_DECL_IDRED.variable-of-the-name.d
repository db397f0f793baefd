inline int x = 1;
int x;
BEGIN { exit(0); }
