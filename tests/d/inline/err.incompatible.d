inline int x = "text";
BEGIN { exit(0); }
