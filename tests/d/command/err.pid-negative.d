/* command: -p -5 -n BEGIN */
