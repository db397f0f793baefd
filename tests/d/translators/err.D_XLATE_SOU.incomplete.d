translator struct nosuch < int N > { };
BEGIN { exit(0); }
