/* run: -c @typed@ */
/* A struct of two int, in one integer register. */
pid$target:a.out:mixed:entry
{
	this->p = args[2];
	printf("%d %d %d %d\n", sizeof (args[2]), args[2].x, args[2].y, this->p.y);
}
