/* command: -x version=1.5 -n BEGIN */
