/* command: -L x -n BEGIN */
