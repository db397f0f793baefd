/* SPDX-License-Identifier: MIT */
/* run: -w -c @stacks@ -s @file@ */
/* The string after an amount and a literal, chosen by a condition. */
pid$target:a.out:mark:entry /arg0 == 1/ { system("echo %*d %s %s >/dev/null", 3, 5, "x", arg0 ? "a" : "b"); }
