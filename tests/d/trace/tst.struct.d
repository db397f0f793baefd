/* SPDX-License-Identifier: MIT */
/* By the rule for bytes: text, or a dump. */
struct t { char a[8]; };
struct n { int x; int y; };
struct t text;
struct n number;
BEGIN { text.a[0] = 'o'; text.a[1] = 'k'; trace(text); number.x = 258; trace(number); trace(text.a); exit(0); }
