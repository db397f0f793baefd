provider p { probe x(int a) : (char *a); };
BEGIN { exit(0); }
