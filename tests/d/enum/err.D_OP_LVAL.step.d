enum e { A };
BEGIN { A++; exit(0); }
