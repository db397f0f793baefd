/* not quiet: widths 3, 5, 8, 16 and 33 */
/* run: -s @file@ */
BEGIN
{
	trace((unsigned char)200); trace((unsigned short)60000); trace(4294967295u);
	trace(4294967295); trace((int *)255); trace("text");
	exit(0);
}
