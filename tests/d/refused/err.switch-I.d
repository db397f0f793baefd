/* command: -I x -n BEGIN */
