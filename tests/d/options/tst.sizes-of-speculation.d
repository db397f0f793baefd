/* SPDX-License-Identifier: MIT */
/* more than can be had */
/* run: -x specsize=1t */
BEGIN { printf("done\n"); exit(0); }
