/* SPDX-License-Identifier: MIT */
BEGIN { printf("%S|%S|%5S|\n", "a\tb\n\"q\"\\", "\001\377", "x"); exit(0); }
