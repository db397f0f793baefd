/* integer keys compare as unsigned: -1 after 2 */
BEGIN
{
	@[(char)-1] = count(); @[(char)2] = count(); @[(char)1] = count();
	@b[-1L] = count(); @b[2L] = count();
	exit(0);
}
