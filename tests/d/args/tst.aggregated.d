/* run: -c @typed@ */
pid$target:a.out:narrow:entry
{
	@[args[1], stringof("key")] = sum(args[0]);
}
END
{
	printa("%d %s %@d\n", @);
}
