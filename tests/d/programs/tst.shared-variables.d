/* SPDX-License-Identifier: MIT */
/* command: -qn 'BEGIN { x = 1; }' -n 'BEGIN { x += 10; }' -n 'BEGIN { printf("%d\n", x); exit(0); }' */
