/* command: -x cpu=1 -n BEGIN */
