/* command: --for 0s -n BEGIN */
