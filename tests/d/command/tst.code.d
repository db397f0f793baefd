/* -S shows the code on stderr, the program runs */
/* command: -q -S -n 'BEGIN { x = 5; trace(x); exit(0); }' */
