/* a symbol that no object defines is still an error */
/* command: -x errtags -x unodefs -n 'BEGIN { trace(pid`no_such_symbol_anywhere); }' -c @once@ */
