/* SPDX-License-Identifier: MIT */
/* command: -qn 'BEGIN { printf("hi\n"); exit(0); }' */
