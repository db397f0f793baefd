/* command: -x duration=10hz -n BEGIN */
