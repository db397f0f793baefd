/* SPDX-License-Identifier: MIT */
/* run: -s @file@ */
BEGIN { trace(1); setopt("flowindent"); }
BEGIN { trace(2); exit(0); }
