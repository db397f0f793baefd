/* SPDX-License-Identifier: MIT */
/* ends the run when something happens, and says so by its status */
/* run: -c @shop@ */
BEGIN
{
	n = 0;
}

pid$target:a.out:buy:return
/arg1 == -1/
{
	printf("unknown item asked for, purchase %d\n", n + 1);
	exit(4);
}

pid$target:a.out:buy:return
{
	n++;
}
