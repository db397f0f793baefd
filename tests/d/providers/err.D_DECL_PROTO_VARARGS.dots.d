provider p { probe x(int, ...); };
BEGIN { exit(0); }
