provider p { probe x(int) : (int, int); };
BEGIN { exit(0); }
