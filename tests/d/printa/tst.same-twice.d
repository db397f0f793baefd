/* SPDX-License-Identifier: MIT */
BEGIN { @a[1] = sum(7); printa("%d %@d %@d\n", @a, @a); exit(0); }
