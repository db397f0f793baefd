/* Each statement of a line fires, in inlined copies too; the function field narrows it. */
/* run: -qs @file@ -c @lined_dwarf4@ */
pid$target:a.out::lined.c@23,
pid$target:a.out::lined.c@39,
pid$target:a.out:gone:lined.c@71,
pid$target:a.out:copies:lined.c@25
{
	@[probefunc, probename] = count();
}
pid$target:a.out::lined.c@50/probefunc == "copies"/
{
	@["predicate", probename] = count();
}
pid$target:a.out::code/lined.c@39/probemod == "lined_dwarf4"/
{
	@["with a folder", probename] = count();
}
pid$target:a.out:s*:line[a-z].?@[3]9
{
	@["by a glob", probename] = count();
}
pid$target:a.out:gone:entry
{
	@[probefunc, probename] = count();
}
/* A description that asks for no mark gets none. */
pid$target:a.out:gone:r*
{
	@["no mark", probename] = count();
}
