/* SPDX-License-Identifier: MIT */
/* the first and the last of many, without printing the rest */
/* run: -c @shop@ */
string last;

pid$target:a.out:buy:entry
{
	last = copyinstr(arg0);
}

pid$target:a.out:buy:entry
/!seen++/
{
	printf("first: %s\n", last);
}

END
{
	printf("last of %d: %s\n", seen, last);
}
