/* SPDX-License-Identifier: MIT */
/* no terminal in the tests */
BEGIN { printf("%d\n", curpsinfo->pr_ttydev >= 0); exit(0); }
