/* SPDX-License-Identifier: MIT */
struct a { int i[3]; char c[4]; unsigned char u[2]; void *p[2]; };
struct a x;
BEGIN { x.i[1] = 5; x.c[0] = 'a'; x.u[0] = 1; x.p[1] = (void *)0x10; print(x); print(x.i); print(x.c); print(x.u); exit(0); }
