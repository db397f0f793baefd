void *p;
BEGIN { p++; exit(0); }
