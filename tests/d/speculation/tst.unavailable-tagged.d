/* SPDX-License-Identifier: MIT */
/* run: -x droptags */
BEGIN { s = speculation(); t = speculation(); u = speculation(); printf("%d %d %d\n", s, t, u); exit(0); }
