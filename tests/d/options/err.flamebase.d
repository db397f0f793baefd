/* run: -x flamebase=@tmp@/old */
BEGIN
{
	@b[ustack()] = count();
	exit(0);
}
