/* run: -c @typed@ */
pid$target:a.out:nothing:entry
{
	printf("%d %d\n", (uint64_t)a.out`callback == (uint64_t)a.out`twice,
	    (uint64_t)a.out`main != 0);
}
