/* rawbytes leaves integers alone */
/* run: -x rawbytes */
BEGIN
{
	trace(5); printf("\n");
	exit(0);
}
