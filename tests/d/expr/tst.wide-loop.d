/* -(1 << k) goes on past bit 31 when it is kept in 64 bits */
int64_t v;

tick-1ms /v > -(1 << 36)/
{
	v = -(1 << k++);
}

tick-1ms /v <= -(1 << 36)/
{
	printf("%d %d\n", k, v);
	exit(0);
}
