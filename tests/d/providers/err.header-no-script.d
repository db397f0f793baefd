/* command: -h -n BEGIN */
