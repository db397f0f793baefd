/* nothing in user mode it could mean */
/* command: -x lockmem=unlimited -n BEGIN */
