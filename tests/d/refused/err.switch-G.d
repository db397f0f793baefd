/* command: -G -n BEGIN */
