/* other probes are marked by a bar */
/* run: -F -s @file@ */
BEGIN { printf("x"); }
END { }
BEGIN { exit(0); }
