/* no macros in strings and comments */
/* run: -q -s @file@ 5 */
BEGIN { /* $nosuch $9 */ printf("$1 $pid $nosuch\n"); trace($1); exit(0); }
