/* run: -x ustackline -x ustackinline -c @inlinestack@ */
/* Frames of inlined functions, and lines; also when the program has ended. */
pid$target:a.out:leaf:entry
{
	ustack(3);
	@[ustack(2)] = count();
}
