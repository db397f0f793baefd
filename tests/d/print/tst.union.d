/* SPDX-License-Identifier: MIT */
union u { int i; char c[4]; unsigned short s; };
union u x;
BEGIN { x.i = 0x006f6b21; print(x); exit(0); }
