/* SPDX-License-Identifier: MIT */
BEGIN { tracemem((char *)"\t\n\001~\377 ", 7); exit(0); }
