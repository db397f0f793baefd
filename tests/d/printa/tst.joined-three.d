/* SPDX-License-Identifier: MIT */
BEGIN { @a[1] = count(); @b[2] = min(5); @c[3] = avg(7); printa("%d: %@d %@d %@d\n", @a, @b, @c); exit(0); }
