/* command: -x nosuch=1 -n BEGIN */
