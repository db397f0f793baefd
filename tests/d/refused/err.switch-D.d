/* command: -D x -n BEGIN */
