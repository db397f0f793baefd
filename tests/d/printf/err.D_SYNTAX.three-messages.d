/* SPDX-License-Identifier: MIT */
BEGIN { printf("%d %q", 1, 2); exit(0); }
