int a[double];
BEGIN { exit(0); }
