/* SPDX-License-Identifier: MIT */
BEGIN
{
	print((char)'a');
	print((char)0);
	print((char)4);
	print((char)-1);
	print('a');
	print((unsigned char)'a');
	print((int8_t)'z');
	exit(0);
}
