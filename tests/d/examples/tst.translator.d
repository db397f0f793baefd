/* SPDX-License-Identifier: MIT */
struct out { int dbl; };
translator struct out < int v > { dbl = v * 2; };
BEGIN { printf("%d\n", (xlate < struct out > (21)).dbl); exit(0); }
