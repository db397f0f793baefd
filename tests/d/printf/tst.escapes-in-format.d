/* SPDX-License-Identifier: MIT */
BEGIN { printf("a\tb\\\"\x41\101%%\n"); exit(0); }
