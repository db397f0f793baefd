/* command: -a */
