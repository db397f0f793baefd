/* command: -x statusrate=0.5hz -n BEGIN */
