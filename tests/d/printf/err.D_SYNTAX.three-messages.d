/* SPDX-License-Identifier: MIT */
BEGIN { printf("%d %z", 1, 2); exit(0); }
