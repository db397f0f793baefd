/* only the last operand must be used */
/* run: -q -s @file@ 7 8 */
BEGIN { printf("%d\n", $2); exit(0); }
