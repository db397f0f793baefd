provider p { probe x(void a); };
BEGIN { exit(0); }
