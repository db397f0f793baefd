provider p { probe x(int); };
provider p { probe x(string); };
BEGIN { exit(0); }
