/* command: -x quiet=maybe -n BEGIN */
