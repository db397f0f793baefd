/* SPDX-License-Identifier: MIT */
/* command: -n 'BEGIN { printf("no line\n"); }' -n '#pragma D option quiet
BEGIN { exit(0); }' */
