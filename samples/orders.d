/* SPDX-License-Identifier: MIT */
/* Arguments and results: each dish as it is cooked, and what came of it.
 *	dtrace -qs samples/orders.d -c build/samples/kitchen */
BEGIN
{
	printf("%-8s %-8s %6s\n", "THREAD", "DISH", "GUESTS");
}

fpid$target:a.out:cook:entry
{
	printf("%-8d %-8s %6d\n", tid, copyinstr(arg0), (int)arg1);
	@dishes[copyinstr(arg0)] = sum((int)arg1);
}

fpid$target:a.out:cook:return
{
	@grams = sum((int)arg1);
}

END
{
	printf("\n%-8s %6s\n", "DISH", "GUESTS");
	printa("%-8s %@6d\n", @dishes);
	printa("%@d g in all\n", @grams);
}
