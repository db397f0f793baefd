/* * takes the next key as the width */
BEGIN
{
	@[4, "a"] = sum(1); @[8, "b"] = sum(2); @[2, "c"] = sum(3);
	printa("[%*s] %@d\n", @); printa("[%-*s]\n", @);
	exit(0);
}
