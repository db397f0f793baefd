/* SPDX-License-Identifier: MIT */
/* the line is counted over comments and strings */
BEGIN
{
/*
 *
 */
	x = "a\\n";

	y = ;
}
