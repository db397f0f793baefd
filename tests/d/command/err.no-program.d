/* nothing to do */
/* command: -q */
