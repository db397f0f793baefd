/* keys are converted to the declared type */
int a[int8_t]; int b[uint16_t, string];
BEGIN
{
	a[257] = 5; a[-1] = 6; b[65537, "k"] = 7;
	printf("%d %d %d\n", a[1], a[255], b[1, "k"]);
	exit(0);
}
