/* command: -x oformat=json -n BEGIN */
