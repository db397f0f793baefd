/* sums wrap at 2^64 */
BEGIN
{
	@ = sum(0x7fffffffffffffff); @ = sum(2);
	exit(0);
}
