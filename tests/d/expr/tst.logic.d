/* ! && || ^^ give 0 or 1 */
BEGIN
{
	z = 0; t = 5; m = -1;
	printf("%d%d%d\n", !z, !t, !!t);
	printf("%d%d%d%d\n", z && z, z && t, t && z, t && m);
	printf("%d%d%d%d\n", z || z, z || t, t || z, t || m);
	printf("%d%d%d%d\n", z ^^ z, z ^^ t, t ^^ z, t ^^ m);
	printf("%d%d%d%d\n", 0 && 7, 7 && 7, 0 || 7, 7 ^^ 7);
	exit(0);
}
