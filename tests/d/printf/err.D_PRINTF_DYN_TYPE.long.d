/* SPDX-License-Identifier: MIT */
BEGIN { printf("%*d", 5LL, 1); exit(0); }
