/* strings and numbers in one key */
BEGIN
{
	@["x", 5, "y", 'c'] = sum(4); @["x", 5, "y", 'b'] = sum(4); @["x", 4, "z", 'c'] = sum(3);
	exit(0);
}
