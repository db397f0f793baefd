/* SPDX-License-Identifier: MIT */
struct out { int a; };
translator struct out < int *N > { a = args[1]; };
BEGIN { exit(0); }
