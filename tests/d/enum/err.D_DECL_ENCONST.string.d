enum e { A = "a" };
BEGIN { exit(0); }
