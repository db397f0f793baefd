inline this int x = 1;
BEGIN { exit(0); }
