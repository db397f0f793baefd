/* SPDX-License-Identifier: MIT */
/* Everything prints 0, and the next update wins. */
BEGIN { @c = count(); @s = sum(5); @n = min(5); @x = max(-5); @a = avg(5); @d = stddev(5); @d = stddev(7); }
BEGIN { clear(@c); clear(@s); clear(@n); clear(@x); clear(@a); clear(@d); printa("%@d %@d %@d %@d %@d %@d\n", @c, @s, @n, @x, @a, @d); }
tick-50ms { @c = count(); @s = sum(-7); @n = min(9); @x = max(-9); @a = avg(-3); @d = stddev(3); exit(0); }
END { printa("%@d %@d %@d %@d %@d %@d\n", @c, @s, @n, @x, @a, @d); }
