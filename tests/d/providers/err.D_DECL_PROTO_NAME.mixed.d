provider p { probe x(int a, int); };
BEGIN { exit(0); }
