/* run: -c @typed@ */
/* results that a hidden parameter leads to */
pid$target:a.out:make_big:return
{
	printf("%d %d %d\n", args[1].v[0], args[1].v[2], args[1].v[3]);
}
