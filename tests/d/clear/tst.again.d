/* updates after clear count from zero */
BEGIN { @c = count(); @n = min(1); @x = max(100); @s = sum(5); }
BEGIN { clear(@c); clear(@n); clear(@x); clear(@s); }
tick-10 { @c = count(); @n = min(7); @x = max(8); @s = sum(9); exit(0); }
END { printa("%@d ", @c); printa("%@d ", @n); printa("%@d ", @x); printa("%@d\n", @s); }
