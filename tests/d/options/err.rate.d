/* command: -x switchrate=0.5hz -n BEGIN */
