/* rates with every suffix */
/* command: -q -x switchrate=10hz -x aggrate=100ms -x statusrate=1sec -x cleanrate=50HZ -x switchrate=1000000 -x aggrate=1min -n 'BEGIN { exit(0); }' */
