/* command: -y */
