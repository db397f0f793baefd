/* equal totals: the zero bucket decides, then the keys */
BEGIN
{
	@["b"] = quantize(8); @["c"] = quantize(8); @["c"] = quantize(0); @["a"] = quantize(8);
	exit(0);
}
