/* SPDX-License-Identifier: MIT */
enum e { ONE = 1, TWO };
BEGIN { x = TWO; printf("%d %u %x\n", x, ONE, TWO); exit(0); }
