/* SPDX-License-Identifier: MIT */
BEGIN { printf("%Y|%T|%Y\n", 0ULL, 1075050000000000000, 86400000000000 * 31); exit(0); }
