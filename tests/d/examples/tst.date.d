/* SPDX-License-Identifier: MIT */
/* command: -qn 'BEGIN { printf("%Y\n", (uint64_t)86400 * 1000000000); exit(0); }' */
