struct m`s { int a; };
BEGIN { exit(0); }
