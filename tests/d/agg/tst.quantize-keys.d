/* keys, then the histogram; sorted by weighted total */
BEGIN
{
	@["many small"] = quantize(2); @["many small"] = quantize(2); @["many small"] = quantize(2);
	@["one big"] = quantize(64); @["negative"] = quantize(-9);
	exit(0);
}
