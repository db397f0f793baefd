/* SPDX-License-Identifier: MIT */
/* The last one counts; the data stay as they are. */
BEGIN
{
	@ = sum(1000);
	normalize(@, 10);
	printa("%@d\n", @);
	normalize(@, 3);
	printa("%@d\n", @);
	denormalize(@);
	printa("%@d\n", @);
	exit(0);
}
