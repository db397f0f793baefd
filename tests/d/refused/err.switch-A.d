/* command: -A */
