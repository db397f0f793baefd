/* run: -x heatmap=@tmp@/h.svg */
BEGIN
{
	@ = max(1);
	exit(0);
}
