/* SPDX-License-Identifier: MIT */
struct s { char c[40000]; };
BEGIN { trace(*(struct s *)0); exit(0); }
