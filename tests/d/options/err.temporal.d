/* command: -x temporal=maybe -n BEGIN */
