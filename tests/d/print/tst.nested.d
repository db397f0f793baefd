/* SPDX-License-Identifier: MIT */
struct in { int x; struct { char y; } z; };
struct out { struct in a; struct in b[2]; int m[2][2]; };
struct out o;
BEGIN { o.a.x = 1; o.a.z.y = 'y'; o.b[1].x = 2; o.m[1][0] = 3; print(o); print(o.a); print(o.b); print(o.m); exit(0); }
