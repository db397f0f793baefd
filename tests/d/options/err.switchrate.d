/* command: -x switchrate= -n BEGIN */
