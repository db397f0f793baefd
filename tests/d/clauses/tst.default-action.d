/* an empty body records an empty line */
/* run: -s @file@ */
BEGIN { }
BEGIN { ; }
BEGIN /0/ { }
BEGIN { exit(0); }
