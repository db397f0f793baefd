/* SPDX-License-Identifier: MIT */
BEGIN { printf("%s\n", (char *)1); }
ERROR { printf("fault %d\n", arg4); exit(0); }
