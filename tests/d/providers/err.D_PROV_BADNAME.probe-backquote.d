provider p { probe a`b(); };
BEGIN { exit(0); }
