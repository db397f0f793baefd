/* command: -x bufpolicy=ring -n BEGIN */
