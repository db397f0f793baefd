/* command: -x version=1.5 -x version=1.6 -n BEGIN */
