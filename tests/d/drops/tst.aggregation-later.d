/* run: -x aggsize=40 -x aggrate=1ms */
/* aggsize is for what is added between two snapshots: a long run keeps all keys */
tick-10ms
{
	@[n++] = count();
}

tick-10ms
/n == 12/
{
	exit(0);
}
