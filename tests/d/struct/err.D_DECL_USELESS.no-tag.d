struct { int a; };
BEGIN { exit(0); }
