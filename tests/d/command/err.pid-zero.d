/* command: -p 0 -n BEGIN */
