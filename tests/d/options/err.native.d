/* command: -x native=maybe -n BEGIN */
