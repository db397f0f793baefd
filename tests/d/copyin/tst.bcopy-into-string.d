/* only scratch memory is written */
ERROR { printf("fault %d\n", arg4); exit(0); }
BEGIN { bcopy((char *)"abc", (char *)"def", 3); printf("not reached\n"); }
