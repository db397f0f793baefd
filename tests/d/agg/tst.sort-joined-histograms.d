/* joined histograms sort by their weighted totals */
BEGIN
{
	@a["x"] = quantize(16); @a["y"] = quantize(4);
	@b["x"] = count(); @b["y"] = count();
	printa("%s %@d%@d\n", @a, @b);
	exit(0);
}
