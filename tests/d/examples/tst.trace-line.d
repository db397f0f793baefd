/* run: -s @file@ */
BEGIN
{
	trace(42);
	exit(0);
}
