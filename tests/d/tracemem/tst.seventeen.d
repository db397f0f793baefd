/* SPDX-License-Identifier: MIT */
BEGIN { tracemem((char *)"0123456789abcdefg", 17); exit(0); }
