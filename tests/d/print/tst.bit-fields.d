/* SPDX-License-Identifier: MIT */
struct s { unsigned a:3; int b:5; unsigned long c:40; };
struct s x;
BEGIN { x.a = 5; x.b = -1; x.c = 0x1234567890; print(x); exit(0); }
