/* a program on the command line is not preprocessed */
/* command: -q -C -D A=1 -n 'BEGIN { A = 2; printf("%d\n", A); exit(0); }' */
