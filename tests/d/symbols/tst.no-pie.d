/* run: -c @typed_nopie@ */
pid$target:a.out:nothing:entry
{
	printf("%d %d %s\n", a.out`counter, a.out`small, stringof(a.out`greeting));
}
