/* run: -c @typed@ */
/* nothing of the program can be read where none of its threads stands */
BEGIN
{
	trace(a.out`counter);
}
ERROR
{
	printf("fault %d\n", arg4);
}
