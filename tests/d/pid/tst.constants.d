/* run: -q -c @constants@ */
/* constants among the instructions, and bytes there that would be a ret, stay as they are */
pid$target:a.out:constant:,
pid$target:a.out:table:
{
	@[probefunc, probename] = count();
}
pid$target:a.out:good:entry,
pid$target:a.out:bad:entry
{
	@[probefunc, probename] = count();
}
END
{
	printa("%s %s %@d\n", @);
}
