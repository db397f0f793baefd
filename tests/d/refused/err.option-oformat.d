/* command: -x oformat=xml -n BEGIN */
