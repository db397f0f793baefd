/* SPDX-License-Identifier: MIT */
/* Updates by 32 threads between a printa() and the clear() after it: all are shown. */
/* command: -qwn 'BEGIN { system("@dtrace@ -qs @file@ -c @threads@ | awk \x27/^n/ { s += $2 } /^(work|inner) / { t += $2 } END { print s - t }\x27"); exit(0); }' */
#pragma D option switchrate=1ms
fpid$target:a.out:work:entry, fpid$target:a.out:inner:entry { @[probefunc] = count(); }
tick-1ms { printa("n %@d\n", @); clear(@); }
END { printa("n %@d\n", @); clear(@); }
