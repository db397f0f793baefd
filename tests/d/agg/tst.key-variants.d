/* keys of other widths are other rows, printed in their own columns; signs do not matter */
BEGIN
{
	@h[(int)6] = max(1);
	@h[(long)7] = max(1);
	@h[(int)-2] = max(3);
	@h[(char)6] = max(1);
	@h[(short)6] = max(1);
	@h[6] = max(2);
	@h[(unsigned int)6] = max(1);
	@cleared[(int)1] = count();
	@cleared[(long)2] = count();
	@truncated[(int)1, "a"] = sum(1);
	@truncated[(long)2, "b"] = sum(2);
	@few[(long)1] = sum(3);
	@few[(int)2] = sum(2);
	@few[(long)3] = sum(1);
	@at_end[(long)3] = sum(1);
	@at_end[(char)3] = sum(1);
	exit(0);
}

END
{
	printa(@h);
	printa("%d %@d\n", @h);
	clear(@cleared);
	printa(@cleared);
	trunc(@truncated);
	printa(@truncated);
	trunc(@few, 2);
	printa(@few);
}
