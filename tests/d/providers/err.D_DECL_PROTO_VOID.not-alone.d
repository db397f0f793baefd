provider p { probe x(int, void); };
BEGIN { exit(0); }
