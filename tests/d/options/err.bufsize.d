/* command: -x bufsize=4x -n BEGIN */
