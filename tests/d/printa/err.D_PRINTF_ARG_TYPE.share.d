BEGIN { @a["x"] = count(); @b["x"] = avg(1); printa("%@f %@d", @a, @b); printa("%@d %@f", @a, @b); exit(0); }
