/* SPDX-License-Identifier: MIT */
/* Sixteen columns, the last line shorter; a newline first. */
BEGIN { tracemem(this->p = (char *)"abcdefghijklmnopqrstuvwxyz", 20); exit(0); }
