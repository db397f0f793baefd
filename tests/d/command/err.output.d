/* command: -o /nosuch/dir/x -n BEGIN */
