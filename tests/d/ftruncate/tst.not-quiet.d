/* SPDX-License-Identifier: MIT */
/* run: -s @file@ -o @tmp@/out */
BEGIN { trace(1); }
BEGIN { ftruncate(); exit(0); }
