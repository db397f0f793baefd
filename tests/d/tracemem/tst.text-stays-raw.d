/* SPDX-License-Identifier: MIT */
/* Unlike trace() it never shows text as text. */
BEGIN { tracemem((char *)"text", 5); exit(0); }
