/* run: -c @typed@ */
pid$target:a.out:nothing:entry
{
	printf("%d ", *(userland int *)&a.out`counter);
	this->p = &a.out`counter;
	printf("%d %d\n", *this->p, sizeof (a.out`counter));
}
