/* run: -q -c @zeroreturn@ */
/* the same stack pointer and frames, but one of them now ends the stack, now has a caller */
pid$target:a.out:place:entry
{
	@[ustack(4)] = count();
}
END
{
	printa("%k %@d\n", @);
}
