/* $0 is the command without a script */
/* command: -q -n 'BEGIN { printf("%d\n", $$0 == $$1); exit(0); }' @dtrace@ */
