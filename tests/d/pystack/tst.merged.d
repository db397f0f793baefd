/* frames among native ones, of a program that tells nonsense of them: as many as asked for */
/* run: -q -x pystack -c @snake11@ */
pid$target:a.out:g:entry
{
	ustack(4);
	@[ustack(3)] = count();
	@depth[ustackdepth > 3] = count();
}
