/* SPDX-License-Identifier: MIT */
/* run: -o @tmp@/out */
BEGIN { printf("gone\n"); ftruncate(); printf("kept\n"); exit(0); }
