/* command: -x progress=0.5s -n BEGIN */
