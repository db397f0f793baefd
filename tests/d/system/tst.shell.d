/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN { system("for i in 1 2; do echo $i; done | sed s/^/n/; exit 3"); exit(0); }
