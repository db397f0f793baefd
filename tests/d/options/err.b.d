/* command: -b lots -n BEGIN */
