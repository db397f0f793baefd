/* rawbytes applies to strings too */
/* run: -x rawbytes -x strsize=16 */
BEGIN
{
	trace("ab");
	exit(0);
}
