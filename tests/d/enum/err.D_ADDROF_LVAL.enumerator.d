enum e { A };
BEGIN { trace(&A); exit(0); }
