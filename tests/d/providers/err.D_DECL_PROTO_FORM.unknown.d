provider p { probe x(int a) : (int b); };
BEGIN { exit(0); }
