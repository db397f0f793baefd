/* missing operands read as 0 and "" */
/* run: -q -s @file@ 7 */
#pragma D option defaultargs
BEGIN { printf("%d [%s] %d\n", $1, $$2, $3 + 1); exit(0); }
