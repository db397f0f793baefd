BEGIN
{
	@[1, "x"] = sum(5);
	@[2, "y"] = sum(3);
	printa("%d-%s=%@d\n", @);
	exit(0);
}
