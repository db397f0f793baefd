/* nothing costs anything */
/* run: -x budget=5% */
BEGIN
{
	printf("hi\n");
	exit(0);
}
