/* sizes with every suffix */
/* command: -q -b 1m -x aggsize=512k -x dynvarsize=2M -x strsize=0x10 -x bufsize=010000 -n 'BEGIN { printf("%d\n", sizeof (string)); exit(0); }' */
