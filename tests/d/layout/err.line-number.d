/* SPDX-License-Identifier: MIT */
BEGIN
{
	/*
	 * one, two, three
	 */

	printf("%s",
	    nosuch);
}
