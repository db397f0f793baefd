/* SPDX-License-Identifier: MIT */
BEGIN
{
	print("hello");
	print("");
	print("tab\tand\001");
	x = "of a variable";
	print(x);
	print(probename);
	exit(0);
}
