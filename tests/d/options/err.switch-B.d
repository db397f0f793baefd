/* command: -B -n BEGIN */
