/* SPDX-License-Identifier: MIT */
BEGIN { @a[1] = sum(100); @b[1] = sum(100); normalize(@b, 10); printa("%d %@d %@d\n", @a, @b); printa(@a, @b); exit(0); }
