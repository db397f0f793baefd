/* command: -x bufpolicy=line -n BEGIN */
