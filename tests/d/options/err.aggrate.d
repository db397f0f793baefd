/* command: -x aggrate=1.5s -n BEGIN */
