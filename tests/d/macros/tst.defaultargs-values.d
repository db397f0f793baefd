/* values of operands that are missing, in expressions and in descriptions */
/* run: -q -s @file@ 7 */
#pragma D option defaultargs=1,-2,tick,1ms,,ND
$3-$4 { printf("%d %d [%s] [%s] %d [%s] %d [%s]\n", $1, $2, $$2, $$4, $5, $$5, $7, $$8); exit(0); }
dtrace:$9:$5:E$6 { printf("[%s]\n", $$6); }
