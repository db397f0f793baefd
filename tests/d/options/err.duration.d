/* command: --for 5 -n BEGIN */
