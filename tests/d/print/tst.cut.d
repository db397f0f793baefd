/* SPDX-License-Identifier: MIT */
#pragma D option printsize=40
struct s { int a; int b; int c; };
struct s x;
BEGIN { print(x); exit(0); }
