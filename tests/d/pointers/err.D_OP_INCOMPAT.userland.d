int *p;
BEGIN { p = (userland int *)8; exit(0); }
