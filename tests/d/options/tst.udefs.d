/* symbols are found while compiling, or not at all: neither changes anything */
/* command: -q -x udefs -x unodefs -n 'BEGIN { printf("%d\n", 1); exit(0); }' */
