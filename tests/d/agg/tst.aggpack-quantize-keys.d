/* run: -x aggpack -x encoding=ascii */
/* all elements show the same buckets; below 0 comes nothing */
BEGIN
{
	@["one"] = quantize(1); @["one"] = quantize(8);
	@["two"] = quantize(0); @["two"] = quantize(0); @["two"] = quantize(2);
	@["nine"] = quantize(64, 9); @["nine"] = quantize(1);
	exit(0);
}
