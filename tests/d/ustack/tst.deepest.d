/* the most that can be asked for, and what they are counted as */
/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 9/
{
	@[ustack(1024)] = count();
	printf("%d\n", ustackdepth > 1500 && ustackdepth < 1520);
}
END
{
	trunc(@);
}
