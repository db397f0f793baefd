/* rows ascend by value, signed */
BEGIN
{
	@["a"] = sum(3); @["b"] = sum(-1); @["c"] = sum(0); @["d"] = sum(-100); @["e"] = sum(10);
	exit(0);
}
