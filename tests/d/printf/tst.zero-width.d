/* SPDX-License-Identifier: MIT */
/* A width or precision of 0 is none. */
BEGIN { printf("[%0d][%.0s][%.0d][%*d][%.*s]\n", 5, "abc", 0, 0, 5, 0, "abc"); exit(0); }
