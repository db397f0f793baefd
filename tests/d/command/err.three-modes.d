/* command: -h -G -l -n BEGIN */
