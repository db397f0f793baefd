/* command: --nosuch -n BEGIN */
