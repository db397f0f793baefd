/* $target without a process; the number itself gets no such line */
/* command: -n 'pid$target::main:entry' */
