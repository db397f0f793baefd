int a[pid];
BEGIN { exit(0); }
