this int a[string];
BEGIN { exit(0); }
