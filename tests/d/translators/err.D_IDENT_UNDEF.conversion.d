struct s { int a; };
translator struct s < int N > { a = unknown; };
BEGIN { exit(0); }
