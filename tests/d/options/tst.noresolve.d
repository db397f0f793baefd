/* addresses without names */
/* run: -x noresolve -c @once@ */
pid$target:a.out:f:entry /n++ == 0/
{
	usym(arg0); ufunc(arg0); umod(arg0); ustack(1);
	printf("%a %A\n", 0x10, 0x20);
	@[usym(0x30)] = count();
}
