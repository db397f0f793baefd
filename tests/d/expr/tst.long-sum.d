/* a long flat expression */
BEGIN
{
	x = 1;
	printf("%d\n", x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x +
	    x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x +
	    x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x +
	    x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x +
	    x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x +
	    x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x +
	    x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x +
	    x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x +
	    x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x +
	    x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x);
	exit(0);
}
