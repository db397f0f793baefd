/* operands need not be used */
/* run: -q -s @file@ 7 8 */
#pragma D option argref
BEGIN { printf("ok\n"); exit(0); }
