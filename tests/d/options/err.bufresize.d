/* command: -x bufresize=never -n BEGIN */
