/* a flame graph takes the place of the stacks in text; other aggregations are printed */
/* run: -x flame=@tmp@/f.svg */
BEGIN
{
	@a[1] = count();
	@b[ustack()] = count();
	exit(0);
}
