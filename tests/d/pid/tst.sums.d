/* aggregations of arguments and results */
/* run: -o @tmp@/out -c @args@ */
pid$target:a.out:six:entry { @a = sum(arg0); @b = min(arg5); @c = max(arg5); }
pid$target:a.out:six:return { @d = avg(arg1); @e = quantize(arg1); }
END { printa("%@d ", @a); printa("%@d ", @b); printa("%@d ", @c); printa("%@d", @d); printa("%@d", @e); }
