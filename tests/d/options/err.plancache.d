/* command: -x plancache=maybe -n BEGIN */
