/* a fault in a branch ends the whole clause */
BEGIN { printf("lost"); if (1) { x = *(int *)0; } printf("lost"); y = 1; }
BEGIN { printf("%d\n", y); exit(0); }
