/* a file that is no program */
/* run: -s @file@ -c @file@ */
BEGIN { exit(0); }
