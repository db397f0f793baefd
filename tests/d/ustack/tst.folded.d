/* a line for each stack: keys, frames from the root, the value; a histogram keeps its rows */
/* run: -x stackformat=folded -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 1/
{
	@a[ustack(2), probefunc, arg0, (int)-arg0, "a;b\n\"<\\"] = sum(-7);
	@a[ustack(1), "", 1, (int)2, "\303\251\377"] = sum(8);
	@b[ustack(1)] = quantize(arg0);
	@c[arg0] = count();
	@d[ustack(2)] = avg(arg0);
	ustack(2);
	stack();
}

END
{
	printa("%k|%@d\n", @d);
	printa(@d);
}
