/* SPDX-License-Identifier: MIT */
/* command: -qn 'struct s { int a; int b; }; struct s v; BEGIN { v.b = 7; }' -n 'BEGIN { printf("%d %d\n", v.b, sizeof (struct s)); exit(0); }' */
