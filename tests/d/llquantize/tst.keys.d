/* elements sort by their weighted totals */
BEGIN
{
	@["many"] = llquantize(2, 10, 0, 1, 10, 100);
	@["large"] = llquantize(90, 10, 0, 1, 10);
	@["small"] = llquantize(1, 10, 0, 1, 10);
	exit(0);
}
