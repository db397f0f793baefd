/* command: -x version=1.14 -n BEGIN */
