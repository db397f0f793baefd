BEGIN
{
	n = 0x12345;
	printf("%x %d %d\n", (uint16_t)n, (char)0x1ff, (int16_t)(uint32_t)0xfff0);
	exit(0);
}
