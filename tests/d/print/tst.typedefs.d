/* SPDX-License-Identifier: MIT */
BEGIN
{
	print((uint8_t)200);
	print((uint64_t)0x1234567890abcdef);
	print((pid_t)7);
	print(timestamp - timestamp);
	print((size_t)0);
	exit(0);
}
