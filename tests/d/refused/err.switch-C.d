/* command: -C -n BEGIN */
