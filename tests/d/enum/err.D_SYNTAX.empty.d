enum e { };
BEGIN { exit(0); }
