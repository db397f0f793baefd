BEGIN
{
	stack();
	stack(3);
	trace(stack());
	@[stack()] = count();
	exit(0);
}
