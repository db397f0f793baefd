/* SPDX-License-Identifier: MIT */
/* callers, by name */
/* run: -c @shop@ */
pid$target:a.out:pool_alloc:entry
{
	@[usym(ucaller)] = count();
}

END
{
	printa("%A %@d\n", @);
}
