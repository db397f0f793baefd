/* run: -q -c @rowless@ */
/* amid a function without unwind tables its frame pointer leads to the caller */
pid$target:a.out:inner:entry,
pid$target:a.out:inner:8,
pid$target:a.out:inner:return,
pid$target:a.out:inner:a
{
	@[probename, ustack(2)] = count();
	@callers[probename, ufunc(ucaller)] = count();
}
END
{
	printa("%s%k%@d\n", @);
	printa("%s %A %@d\n", @callers);
}
