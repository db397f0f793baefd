/* command: -33 -n BEGIN */
