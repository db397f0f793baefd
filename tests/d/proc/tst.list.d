/* listed without a process */
/* command: -l -P proc */
