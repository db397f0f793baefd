/* rows of stddev() sort by the deviation, not by the sum; one value has none */
BEGIN
{
	@["wide"] = stddev(0); @["wide"] = stddev(1000);
	@["narrow"] = stddev(100000); @["narrow"] = stddev(100010);
	@["one"] = stddev(77);
	@["extremes"] = stddev(-9223372036854775807); @["extremes"] = stddev(9223372036854775807);
	exit(0);
}
