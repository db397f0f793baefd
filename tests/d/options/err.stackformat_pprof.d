/* run: -x stackformat=pprof */
BEGIN
{
	@[ustack()] = count();
	exit(0);
}
