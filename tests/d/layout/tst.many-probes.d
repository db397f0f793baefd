/* SPDX-License-Identifier: MIT */
/* a list of probes over many lines */
BEGIN,
tick-1hour,
tick-2hour,
tick-3hour,
tick-4hour,
tick-5hour,
tick-6hour,
tick-7hour,
tick-8hour,
tick-9hour,
tick-10hour,
tick-11hour,
tick-12hour,
tick-13hour,
tick-14hour,
tick-15hour,
tick-16hour,
tick-17hour,
tick-18hour,
tick-19hour,
tick-20hour
{
	printf("%s\n", probename);
	exit(0);
}
