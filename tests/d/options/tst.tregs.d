/* the number of keys of arrays and aggregations; without the option it is 8 */
/* run: -x tregs=10 */
BEGIN
{
	a[1, 2, 3, 4, 5, 6, 7, 8, 9, 10] = 1;
	@[1, 2, 3, 4, 5, 6, 7, 8, 9, 10] = sum(a[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
	printa("%d %d %d %d %d %d %d %d %d %d %@d\n", @);
	trunc(@);
	exit(0);
}
