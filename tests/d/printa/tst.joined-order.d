/* SPDX-License-Identifier: MIT */
/* By the first, then the second, then keys. */
BEGIN { @a[1] = sum(5); @a[2] = sum(5); @a[3] = sum(1); @b[1] = sum(2); @b[2] = sum(1); printa("%d %@d %@d\n", @a, @b); exit(0); }
