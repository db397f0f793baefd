/* SPDX-License-Identifier: MIT */
/* a limit, nothing is reserved: not lowered */
/* run: -x specsize=1t */
BEGIN { printf("done\n"); exit(0); }
