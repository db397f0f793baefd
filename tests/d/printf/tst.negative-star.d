/* SPDX-License-Identifier: MIT */
BEGIN { printf("[%*d][%*s][%.*s]\n", -5, 7, -5, "ab", -1, "abc"); exit(0); }
