/* command: -x strsize -n BEGIN */
