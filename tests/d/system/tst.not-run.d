/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN /0/ { system("echo no"); }
BEGIN { exit(0); }
