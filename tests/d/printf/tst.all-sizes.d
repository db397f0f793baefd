/* every width in decimal, octal and hexadecimal */
BEGIN
{
	printf("%d %u %o %x %X\n", (char)-17, (char)-17, (char)-17, (char)-17, (char)-17);
	printf("%d %u %o %x %X\n", (short)-17, (short)-17, (short)-17, (short)-17, (short)-17);
	printf("%d %u %o %x %X\n", -17, -17, -17, -17, -17);
	printf("%d %u %o %x %X\n", -17L, -17L, -17L, -17L, -17L);
	exit(0);
}
