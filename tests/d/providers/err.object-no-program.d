/* command: -G */
