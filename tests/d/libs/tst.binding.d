/* what a later version brings is dropped in an earlier one */
/* run: -L @dir@/bound -x version=1.5 */
BEGIN { NEW = 7; printf("%d %d\n", OLD, NEW); exit(0); }
