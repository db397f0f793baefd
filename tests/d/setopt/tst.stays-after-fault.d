/* SPDX-License-Identifier: MIT */
/* run: -s @file@ */
/* An option that cannot be set is no fault: the clause goes on. */
BEGIN { setopt("nosuch"); trace(1); exit(0); }
ERROR { printf("not here\n"); }
