/* SPDX-License-Identifier: MIT */
BEGIN
{
	printf("%d %d %d %d\n", -1, (char)-1, (short)-1, (long long)-1);
	printf("%u %u %u %u\n", -1, (char)-1, (short)-1, (long long)-1);
	printf("%x %x %x %x\n", -1, (char)-1, (short)-1, (long long)-1);
	printf("%o %o\n", (char)-1, (short)-1);
	printf("%i %i\n", (unsigned char)255, (unsigned)4294967295);
	exit(0);
}
