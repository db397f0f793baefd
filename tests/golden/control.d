/* Clauses share a predicate and several descriptions; if and else nest. */
BEGIN,
pid$target:libc:malloc:entry,
pid$target:a.out::return
/arg0 > 0x10 || arg0 == 'x'/
{
	if (arg0 > 100) {
		printf("big %d\n", arg0);
	} else if (arg0 > 50) {
		x = 1;
		y = 2;
	} else
		z = "small";
	exit(x);
}

END {}
