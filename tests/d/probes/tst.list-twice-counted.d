/* and count each */
/* command: -n 'BEGIN, B*, :::BEGIN { @ = count(); }' -n 'BEGIN { exit(0); }' */
