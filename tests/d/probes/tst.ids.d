/* ids 1 to 3 are BEGIN, END and ERROR */
3 { printf("%s\n", probename); }
1, 2 { printf("%s\n", probename); }
BEGIN { x = *(int *)0; }
BEGIN { exit(0); }
