/* names are case sensitive */
/* command: -x Quiet -n BEGIN */
