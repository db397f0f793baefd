/* SPDX-License-Identifier: MIT */
/* run: -s @file@ */
BEGIN { trace(1); tracemem((char *)"hello", 6); trace(2); exit(0); }
