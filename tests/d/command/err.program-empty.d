/* command: -c ' ' -n BEGIN */
