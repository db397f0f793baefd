/* no speculation: the rest of the clause records nothing; commit and discard do nothing */
BEGIN { speculate(0); printf("nowhere\n"); }
BEGIN { commit(0); }
BEGIN { discard(0); printf("done\n"); exit(0); }
