/* more keys than the option tregs, 8 */
BEGIN
{
	a[1, 2, 3, 4, 5, 6, 7, 8, 9] = 1;
	exit(0);
}
