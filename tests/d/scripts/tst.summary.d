/* SPDX-License-Identifier: MIT */
/*
 * A table with a header, sums and a mean per item, sorted by name.
 */
/* run: -c @shop@ */
#pragma D option aggsortkey

pid$target:a.out:buy:entry
{
	self->what = copyinstr(arg0);
}

pid$target:a.out:buy:return
/(long)arg1 > 0/
{
	@count[self->what] = count();
	@sum[self->what] = sum(arg1);
	@avg[self->what] = avg(arg1);
	@max[self->what] = max(arg1);
}

pid$target:a.out:buy:return
{
	self->what = 0;
}

END
{
	printf("%-10s %6s %6s %6s %6s\n", "ITEM", "COUNT", "SUM", "AVG", "MAX");
	printa("%-10s %@6d %@6d %@6d %@6d\n", @count, @sum, @avg, @max);
}
