/* refused by name until it is written */
provider p { probe x(int); };
BEGIN { exit(0); }
