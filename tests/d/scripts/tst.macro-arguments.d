/* SPDX-License-Identifier: MIT */
/* the function and the least size come from the command line */
/* run: -c @shop@ -s @file@ -q pool_alloc 64 */
pid$target:a.out:$1:entry
/arg0 >= $2/
{
	@[$$1, arg0] = count();
}
