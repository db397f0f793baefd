/* numbers that were never given out: no fault, nothing happens */
ERROR { printf("fault %d\n", arg4); }
BEGIN { speculate(2); printf("no\n"); }
BEGIN { commit(-1); }
BEGIN { discard(99); }
BEGIN { exit(0); }
