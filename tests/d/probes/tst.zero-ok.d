/* -Z: a specifier may match nothing */
/* command: -Z -n 'nosuch:::probe { trace(1); }' -n 'BEGIN { exit(0); }' */
