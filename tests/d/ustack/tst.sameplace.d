/* run: -q -c @sameplace@ */
/* callers change while the stack pointer stays: no frame of the call before is shown */
pid$target:a.out:place:entry
{
	@[ustack(4)] = count();
}
END
{
	printa("%k %@d\n", @);
}
