/* only 0 to nspec are numbers */
ERROR { printf("fault %d\n", arg4); }
BEGIN { speculate(2); }
BEGIN { commit(-1); }
BEGIN { discard(99); }
BEGIN { exit(0); }
