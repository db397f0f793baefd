/* command: -n */
