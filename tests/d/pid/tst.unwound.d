/* a function is entered as often as it returns and is unwound; innermost frames first */
/* run: -x ustackframes=3 -o @tmp@/out -c @jump@ */
pid$target:a.out:attempt:entry, pid$target:a.out:deeper:entry, pid$target:a.out:leap:entry
{
	self->depth++;
}
pid$target:a.out:leap:unwound
{
	self->turn++;
}
pid$target:a.out:deeper:unwound, pid$target:a.out:leap:unwound /self->turn == 1/
{
	printf("%s at %d, by %d to %A, %d below\n", probefunc, self->depth, (int)arg1,
	       arg2, ustackdepth);
}
pid$target:a.out:leap:entry
{
	self->start = uregs[R_RIP];
}
pid$target:a.out:leap:unwound
{
	/* the registers are those of the frame: arg0 counts from its function */
	@start[uregs[R_RIP] - arg0 == self->start] = count();
	@called_by[ufunc(ucaller)] = count();
}
pid$target:a.out:deeper:unwound, pid$target:a.out:leap:unwound,
pid$target:a.out:deeper:return, pid$target:a.out:leap:return
{
	self->depth--;
}
pid$target:a.out:attempt:return
{
	self->depth--;
	@left[self->depth] = count();
}
END
{
	printa("function known %d %@d\n", @start);
	printa("called by %A %@d\n", @called_by);
	printa("left %d %@d\n", @left);
}
