/* command: -p 12x -n BEGIN */
