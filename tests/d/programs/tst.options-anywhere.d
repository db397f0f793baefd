/* SPDX-License-Identifier: MIT */
/* an option of the second program holds for the first */
/* command: -n '#pragma D option quiet
BEGIN { printf("no line\n"); }' -n 'BEGIN { exit(0); }' */
