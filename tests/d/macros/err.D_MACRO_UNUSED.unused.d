/* run: -s @file@ extra */
BEGIN { exit(0); }
