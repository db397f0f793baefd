/* command: -x cpu=x -n BEGIN */
