/* means truncate toward zero */
BEGIN
{
	@a["1"] = avg(1); @a["1"] = avg(2);
	@a["2"] = avg(-1); @a["2"] = avg(-2);
	@a["3"] = avg(10); @a["3"] = avg(-3);
	@a["4"] = avg(0);
	printa("%s %@d\n", @a);
	exit(0);
}
