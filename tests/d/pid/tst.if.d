/* if and else in a clause of a process */
/* run: -c @dies@ */
pid$target:a.out:doomed:entry
{
	if (arg0 % 2)
		printf("odd ");
	else if (arg0 == 4) {
		printf("four\n");
		last = arg0;
	} else
		printf("even ");
}
END { printf("%d\n", last); }
