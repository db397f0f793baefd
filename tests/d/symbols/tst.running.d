/* run: -c @typed@ */
/* without an object: the program first, then its libraries */
pid$target:a.out:nothing:entry
{
	printf("%d %d\n", `counter, `library_private);
}
