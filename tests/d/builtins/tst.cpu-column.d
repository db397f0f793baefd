/* it is the number of the CPU column, and all that -x cpu leaves */
/* run: -s @file@ -x cpu=0 */
BEGIN { printf("<%d>", cpu); exit(0); }
