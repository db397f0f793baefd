/* The usage follows three examples, on standard output. */
/* command: --help */
