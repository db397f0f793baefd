/* run: -x pprof=@tmp@/p */
BEGIN
{
	@[1] = count();
	@b[ustack()] = max(1);
	exit(0);
}
