/* SPDX-License-Identifier: MIT */
BEGIN { tracemem((char *)"z", 1); exit(0); }
