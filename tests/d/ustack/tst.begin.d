/* the tracer has no stack to show */
BEGIN
{
	ustack();
	ustack(3, 100);
	printf("%d %d", ustackdepth, ucaller);
	exit(0);
}
END
{
	ustack();
}
