/* run: -x recording=@tmp@/none/data */
BEGIN
{
	exit(0);
}
