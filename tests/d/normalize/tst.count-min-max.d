/* SPDX-License-Identifier: MIT */
BEGIN { @c = count(); @c = count(); @n = min(-50); @x = max(50); normalize(@c, 2); normalize(@n, 7); normalize(@x, 7); printa("%@d %@d %@d\n", @c, @n, @x); exit(0); }
