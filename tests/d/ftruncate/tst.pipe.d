/* SPDX-License-Identifier: MIT */
/* command: -qwn 'BEGIN { system("@dtrace@ -qs @file@ | cat"); exit(0); }' */
/* Nothing happens to output that is no regular file. */
BEGIN { printf("1\n"); ftruncate(); printf("2\n"); exit(0); }
