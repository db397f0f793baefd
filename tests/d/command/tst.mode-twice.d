/* the same mode twice is one */
/* command: -V -V */
