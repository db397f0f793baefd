/* command: -x searchtime=0.5s -n BEGIN */
