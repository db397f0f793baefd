/* SPDX-License-Identifier: MIT */
/* run: -x nspec=2 */
/* numbers that were never given out: an illegal operation; 0 is that of no speculation */
int n;

ERROR { printf("fault %d\n", arg4); }
BEGIN { commit(0); n++; }
BEGIN { discard(0); n++; }
BEGIN { commit(2); n++; }
BEGIN { speculate(3); n = 10; }
BEGIN { commit(-1); n = 10; }
BEGIN { commit(1024); n = 10; }
BEGIN { discard(99); n = 10; }
BEGIN { printf("%d\n", n); exit(0); }
