/* SPDX-License-Identifier: MIT */
/* run: -s @file@ */
BEGIN { trace(1); }
BEGIN { setopt("quiet"); }
BEGIN { trace(2); }
BEGIN { setopt("quiet", "no"); }
BEGIN { trace(3); exit(0); }
