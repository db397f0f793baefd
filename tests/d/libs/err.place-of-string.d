/* also for a program on the command line */
/* command: -L @dir@/bad -n 'BEGIN { exit(0); }' */
