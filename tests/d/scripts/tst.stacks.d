/* SPDX-License-Identifier: MIT */
/* where the recursion comes from */
/* run: -c @shop@ -x stackindent=4 */
pid$target:a.out:discount:entry
/arg0 == 0 && !done/
{
	done = 1;
	ustack(5);
}
