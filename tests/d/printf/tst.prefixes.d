/* h, l and ll with their own types */
BEGIN
{
	printf("%hd %hi %hu %hx %ho\n", (short)-2, (short)-2, (short)-2, (short)-2, (short)-2);
	printf("%ld %li %lu %lx %lo\n", -2L, -2L, -2L, -2L, -2L);
	printf("%lld %llu %llx\n", (long long)-2, (unsigned long long)2, (long long)-2);
	printf("%lld %llx\n", -3L, 255L);
	exit(0);
}
