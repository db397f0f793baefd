/* SPDX-License-Identifier: MIT */
/* run: -s @file@ */
BEGIN { printf("a"); trace(1); printf("b\n"); trace("c"); exit(0); }
