/* only a constant condition selects an action */
int opt;

BEGIN
{
	opt ? printf("one\n") : 1;
	exit(0);
}
