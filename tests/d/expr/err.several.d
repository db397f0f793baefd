/* every error is reported, each at its place */
BEGIN
{
	trace(one);
	x = 4 / 0;
	trace(two);
	exit(0);
}
