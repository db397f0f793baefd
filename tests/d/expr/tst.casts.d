/* casts between all widths */
BEGIN
{
	n = 0x123456789abcdef0;
	printf("%x %x %x %x\n", (uint8_t)n, (uint16_t)n, (uint32_t)n, (uint64_t)n);
	printf("%d %d %d\n", (int8_t)n, (int16_t)n, (int32_t)n);
	printf("%d %d %d\n", (long)(int8_t)-1, (long)(uint8_t)-1, (unsigned long)(int8_t)-1 >> 63);
	printf("%d %d\n", (int)(char *)0x1ffffffff, (char)(int *)0x180);
	printf("%p %p\n", (void *)-1, (int *)(short)-2);
	exit(0);
}
