/* the header is printed once, before the first record */
/* run: -s @file@ */
BEGIN { trace(1); }
END { trace(2); }
BEGIN { exit(0); }
