int (*fp)(int, char *);
BEGIN { trace(*fp); exit(0); }
