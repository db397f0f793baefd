/* SPDX-License-Identifier: MIT */
BEGIN { printf("a\n"); tracemem(0, 8); printf("b\n"); }
ERROR { printf("fault %d\n", arg4); exit(0); }
