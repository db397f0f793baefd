/* SPDX-License-Identifier: MIT */
/* Aggregations may be defined later in the program than they are named. */
BEGIN { printa("%d %s %@d\n", @a); clear(@b); trunc(@c); normalize(@d, 2); exit(0); }
END { @a[1, "x"] = count(); @b = sum(3); @c = sum(4); @d = sum(5); printa(@d, @b); }
