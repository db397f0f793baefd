/* SPDX-License-Identifier: MIT */
BEGIN { print(*(int *)0); }
ERROR { printf("fault %d at %x\n", arg4, arg5); exit(0); }
