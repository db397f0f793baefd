/* command: -s /tmp */
