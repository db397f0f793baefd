/* SPDX-License-Identifier: MIT */
BEGIN { tracemem((char *)"hello", sizeof (int) + 1); exit(0); }
