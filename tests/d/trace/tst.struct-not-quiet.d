/* SPDX-License-Identifier: MIT */
/* run: -s @file@ */
struct t { char a[4]; };
struct t text;
BEGIN { text.a[0] = 'o'; trace(text); trace(1); exit(0); }
