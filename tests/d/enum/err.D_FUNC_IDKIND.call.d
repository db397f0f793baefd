enum e { A };
BEGIN { A(1); exit(0); }
