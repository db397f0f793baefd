/* several elements sort by weighted total */
BEGIN
{
	@["low"] = lquantize(3, 0, 20, 2); @["high"] = lquantize(19, 0, 20, 2);
	@["under"] = lquantize(-7, 0, 20, 2); @["over"] = lquantize(20, 0, 20, 2);
	exit(0);
}
