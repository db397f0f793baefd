/* addresses of the kernel have names, others are not those of a process here */
BEGIN
{
	sym(1 << 20);
	func(16);
	mod(16);
	printf("%a", 16);
	@[sym(1), mod(2)] = count();
	exit(0);
}
