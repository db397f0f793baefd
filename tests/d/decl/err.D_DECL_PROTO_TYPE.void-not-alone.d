int a[int, void];
BEGIN { exit(0); }
