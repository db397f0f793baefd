BEGIN { n = 3; }
BEGIN /n > 2/ { printf("yes\n"); n = 0; }
BEGIN /n > 2/ { printf("no\n"); }
BEGIN { exit(0); }
