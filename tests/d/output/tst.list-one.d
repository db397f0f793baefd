/* command: -l -n BEGIN */
