extern void g;
BEGIN { exit(0); }
