/* -o with -l */
/* command: -l -n BEGIN -o @tmp@/out */
