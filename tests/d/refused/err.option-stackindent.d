/* command: -x stackindent=4 -n BEGIN */
