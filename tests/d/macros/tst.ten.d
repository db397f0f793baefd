/* operands beyond the ninth */
/* run: -q -s @file@ 1 2 3 4 5 6 7 8 9 10 11 */
BEGIN { printf("%d %d %d\n", $1, $10, $11); exit(0); }
