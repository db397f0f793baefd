/* run: -q -s @file@ 5 */
BEGIN /$1 == 5/ { printf("five\n"); }
BEGIN /$1 != 5/ { printf("other\n"); }
BEGIN { exit(0); }
