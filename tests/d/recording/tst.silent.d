/* without recordlive it is not printed */
/* run: -x recording=@tmp@/data */
BEGIN
{
	trace("not seen");
	@[1] = count();
}

tick-10ms
{
	exit(0);
}
