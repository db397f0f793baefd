/* SPDX-License-Identifier: MIT */
struct s { int a; };
struct s x;
BEGIN { printf("%d", x); exit(0); }
