/* command: -x budget=much -n BEGIN */
