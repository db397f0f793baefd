/* no kernel has names here */
BEGIN
{
	sym(0xffffffff81000000);
	func(16);
	mod(16);
	printf("%a", 16);
	@[sym(1), mod(2)] = count();
	exit(0);
}
