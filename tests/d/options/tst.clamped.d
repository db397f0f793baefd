/* rates beyond their limits are changed, and said */
/* command: -q -x cleanrate=100000hz -x statusrate=1min -n 'BEGIN { exit(0); }' */
