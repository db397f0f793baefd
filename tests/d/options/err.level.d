/* command: -x level=6 -n BEGIN */
