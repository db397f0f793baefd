/* errno, caller and stackdepth read as 0 */
BEGIN
{
	printf("%d %d %d %d\n", errno, caller, stackdepth, ucaller);
	exit(0);
}
