/* where the other is not known, or leads back, the result is a fault; that of middle(),
 * which is named, is known also where it returns by itself */
/* run: -c @relay@ */
pid$target:a.out:middle:return,
pid$target:a.out:chosen:return
{
	printf("%s %d\n", probefunc, (int)arg1);
}
pid$target:a.out:half:return
{
	printf("%s at its return\n", probefunc);
}
pid$target:a.out:even:return { @[arg1] = count(); }
