/* the last setting counts */
/* command: -x quiet=no -q -x strsize=3 -x strsize=5 -n 'BEGIN { s = "abcdefgh"; printf("%s\n", s); exit(0); }' */
