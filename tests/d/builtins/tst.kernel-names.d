/* names of the kernel with a value of their own in user mode */
BEGIN { printf("%d %s %d\n", ipl, zonename, O_RDWR | O_CREAT | O_APPEND); exit(0); }
