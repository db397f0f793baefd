/* command: -x recording -n BEGIN */
