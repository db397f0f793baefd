/* SPDX-License-Identifier: MIT */
BEGIN { printf("[%.*s][%*.*s][%-*.*s][%.*d]\n", 2, "abc", 5, 2, "abc", 5, 2, "abc", 4, 7); exit(0); }
