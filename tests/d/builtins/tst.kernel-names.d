/* names of the kernel with a value of their own in user mode */
BEGIN { printf("%d %s %d %d\n", ipl, zonename, O_RDWR | O_CREAT | O_APPEND, event_record); exit(0); }
