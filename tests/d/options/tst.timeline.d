/* what is printed does not change */
/* run: -x timeline=@tmp@/t.json */
BEGIN
{
	printf("hi\n");
	exit(0);
}
