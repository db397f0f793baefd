/* run: -b 40 -x bufpolicy=fill -x specsize=1k */
/* speculated records take room when they are committed; without room they are discarded */
BEGIN { a = speculation(); }
BEGIN { speculate(a); printf("first %d\n", 1); }
BEGIN { discard(a); b = speculation(); }
BEGIN { speculate(b); printf("second %d\n", 2); }
BEGIN { commit(b); c = speculation(); }
BEGIN { speculate(c); printf("third %d\n", 3); }
BEGIN { speculate(c); printf("third %d\n", 4); }
BEGIN { commit(c); }
BEGIN { printf("not reached\n"); }
