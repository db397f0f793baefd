provider p { probe x(int a, int b) : (int a, int); };
BEGIN { exit(0); }
