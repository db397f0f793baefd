/* SPDX-License-Identifier: MIT */
/* the script is the second program */
/* run: -n 'BEGIN { x = 41; }' -s @file@ -q */
BEGIN { x++; printf("%d\n", x); exit(0); }
