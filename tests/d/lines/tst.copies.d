/* Inlined copies of a function fire where they are entered. */
/* run: -qs @file@ -c @lined_O0@ */
pid$target:a.out:twice:inlined,
pid$target:a.out:*:inlined
{
	@[probefunc, probename, ufunc(uregs[R_PC])] = count();
}
