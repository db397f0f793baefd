provider p { probe x(); probe x(); };
BEGIN { exit(0); }
