/* run: -x demangle -c @stl@ */
/* Variables have names, static ones too; another address of the module has none. */
pid$target:a.out:data:entry
{
	usym(arg0);
	uaddr(arg1);
	uaddr(arg2);
	printf("%A\n", arg1);
	@[usym(arg2), umod(arg2)] = count();
}
