/* With functions are shown as they were written. */
/* run: -c @named@ */
pid$target:a.out:store::find:entry,
pid$target:a.out:_Z5totali:entry,
pid$target:a.out:store::item::item:entry,
pid$target:a.out:main:entry
{
	@[probefunc] = count();
}
pid$target:a.out:total:entry
{
	printf("%s %d\n", probefunc, args[0]);
	usym(arg0 * 0 + uregs[R_RIP]);
	trace("\n");
	ufunc(uregs[R_RIP]);
	ustack(1);
	printf("%A\n", uregs[R_RIP]);
	self->in = 1;
}
pid$target:a.out:*hidden*:entry
/self->in/
{
	@stacks[ustack(1)] = count();
}
END { setopt("aggsortkey"); printa(" %s %@d\n", @); }
