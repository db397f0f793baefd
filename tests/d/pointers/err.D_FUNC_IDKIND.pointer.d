int (*fp)(int, char *);
BEGIN { fp(1); exit(0); }
