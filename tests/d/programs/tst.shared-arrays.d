/* SPDX-License-Identifier: MIT */
/* command: -qn 'BEGIN { a["k", 1] = 5; }' -n 'BEGIN { printf("%d %d\n", a["k", 1], a["k", 2]); exit(0); }' */
