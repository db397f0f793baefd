provider p { probe x(); probe y(); };
provider p { probe x(); };
BEGIN { exit(0); }
