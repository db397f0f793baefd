/* string keys, longer than their column too */
BEGIN
{
	@["short"] = sum(1); @[""] = sum(2);
	@["a key of more than fifty characters, which is not cut at all"] = sum(3);
	exit(0);
}
