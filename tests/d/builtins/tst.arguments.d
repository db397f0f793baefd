/* BEGIN has none: they read as 0 */
BEGIN
{
	printf("%d%d%d%d%d%d%d%d%d%d %d\n", arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, arg9, sizeof (arg0));
	exit(0);
}
