/* Stubs, the vdso, what handlers return to, data, the stack; while it runs ... */
/* run: -c @places@ */
pid$target:a.out:look:entry
{
	printf("%s:", copyinstr(arg0));
	usym(arg1);
	umod(arg1);
	ufunc(arg1);
	printf(" %A\n", arg1);
}
