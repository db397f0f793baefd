/* SPDX-License-Identifier: MIT */
BEGIN { tracemem((uint64_t)(char *)"hello", 5); exit(0); }
