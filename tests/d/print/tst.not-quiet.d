/* SPDX-License-Identifier: MIT */
/* run: -s @file@ */
BEGIN { print(5); }
BEGIN { trace(1); print("x"); trace(2); exit(0); }
