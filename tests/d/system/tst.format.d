/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN { system("echo %s %d %x '%c'", "word", -5, 255, 'q'); exit(0); }
