/* command: -l -V */
