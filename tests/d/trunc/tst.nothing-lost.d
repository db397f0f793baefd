/* SPDX-License-Identifier: MIT */
/* command: -qwn 'BEGIN { system("@dtrace@ -qs @file@ -c @threads@ | awk \x27/^n/ { s += $2 } /^(work|inner) / { t += $2 } END { print s - t }\x27"); exit(0); }' */
#pragma D option switchrate=1ms
fpid$target:a.out:work:entry, fpid$target:a.out:inner:entry { @[probefunc, arg0 % 10] = count(); }
tick-1ms { printa("n %@d\n", @); trunc(@); }
END { printa("n %@d\n", @); }
