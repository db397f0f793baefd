/* SPDX-License-Identifier: MIT */
#pragma D option rawbytes
struct t { char a[4]; };
struct t text;
BEGIN { text.a[0] = 'o'; trace(text); exit(0); }
