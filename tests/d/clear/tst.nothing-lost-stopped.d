/* SPDX-License-Identifier: MIT */
/* The same of threads that are stopped for it. */
/* command: -qwn 'BEGIN { system("@dtrace@ -qs @file@ -c @threads@ | awk \x27/^n/ { s += $2 } /^work / { t += $2 } END { print s - t }\x27"); exit(0); }' */
#pragma D option switchrate=1ms
pid$target:a.out:work:entry { @ = sum(1); }
tick-1ms { printa("n %@d\n", @); }
tick-1ms { clear(@); }
END { printa("n %@d\n", @); }
