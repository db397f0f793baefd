/* -v adds stability and arguments */
/* command: -l -v -n BEGIN */
