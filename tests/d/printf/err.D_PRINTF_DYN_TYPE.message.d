/* SPDX-License-Identifier: MIT */
BEGIN { printf("%*d", "w", 1); exit(0); }
