/* loaded once, for all programs */
/* command: -q -L @dir@/order -n 'BEGIN { printf("%d ", BASE); }' -n 'BEGIN { printf("%d\n", FIRST); exit(0); }' */
