/* integers, identifiers and strings */
/* run: -q -s @file@ -- 12 -5 0xff "x y" '"quoted"' */
BEGIN { printf("%d %d %d %s %s\n", $1 + 1, $2, $3, $4, $5); exit(0); }
