/* a symbol of nobody is an error as ever */
/* command: -x errtags -x unodefs -n 'BEGIN { trace(pid`no_such_symbol_anywhere); }' -c @once@ */
