/* command: -x kfilter=maybe -n BEGIN */
