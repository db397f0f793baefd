/* SPDX-License-Identifier: MIT */
/* run: -c @shop@ */
pid$target:a.out:serve:return
{
	if ((long)arg1 < 0) {
		bad++;
	} else if (arg1 > 100) {
		large++;
	} else {
		small++;
	}
}

END
{
	printf("%d small, %d large, %d not served\n", small, large, bad);
}
