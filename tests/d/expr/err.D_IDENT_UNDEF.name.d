BEGIN
{
	trace(1);
	trace(nosuch + 1);
	exit(0);
}
