/* SPDX-License-Identifier: MIT */
/* which functions are called how often */
/* run: -c @shop@ */
pid$target:a.out:pool_*:entry,
pid$target:a.out:[bdfins]*e*:entry,
pid$target:a.out:buy:entry
{
	@calls[probefunc] = count();
}
