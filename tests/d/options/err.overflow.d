/* command: -x bufsize=99999999999999999999 -n BEGIN */
