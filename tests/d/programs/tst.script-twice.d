/* SPDX-License-Identifier: MIT */
/* run: -q -s @file@ -s @file@ -n 'BEGIN { exit(0); }' */
BEGIN { n++; printf("%d\n", n); }
