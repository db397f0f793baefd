/* a bare specifier on the command line has the default action */
/* command: -n BEGIN -n 'BEGIN { exit(0); }' */
