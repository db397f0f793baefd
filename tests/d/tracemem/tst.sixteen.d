/* SPDX-License-Identifier: MIT */
BEGIN { tracemem((char *)"0123456789abcdef", 16); exit(0); }
