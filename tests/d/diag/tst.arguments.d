/* arguments, results, symbols and stacks of the events of fpid */
/* run: -c @shop@ */
fpid$target:a.out:item_new:entry, fpid$target:a.out:item_new:return { }
diag:::fpid /args[0] == 0 && n++ == 0/
{
	printf("%d %s %d", args[2], copyinstr(args[3]), args[4]);
	usym(args[1]);
	printf(" %s:%s:%s:%s", probeprov, probemod, probefunc, probename);
	ustack(2);
}
diag:::fpid /args[0] == 1 && m++ == 0/
{
	printf("%d %s", ((userland struct item *)args[2])->id,
	    ((userland struct item *)args[2])->name);
	usym(arg1);
}
