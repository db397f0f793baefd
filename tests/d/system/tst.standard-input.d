/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN { system("cat; echo end"); exit(0); }
