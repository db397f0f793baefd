/* command: -H -n BEGIN */
