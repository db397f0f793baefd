/* the version in force */
/* command: -V */
