/* command: -x strsize=0 -n BEGIN */
