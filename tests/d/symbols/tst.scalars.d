/* run: -c @typed@ */
pid$target:a.out:nothing:entry
{
	printf("%d %d %s\n", a.out`counter, typed`small, stringof(a.out`greeting));
	printf("%s %s\n", stringof(copyinstr((uintptr_t)a.out`greeting)), stringof(a.out`greeting + 6));
	printf("%d %d\n", a.out`favourite == GREEN, a.out`width == WIDE);
}
