/* run: -x ustackinline -x stackformat=folded -c @inlinestack@ */
/* Frames of inlined functions, on those into which they were inlined; no lines. */
pid$target:a.out:leaf:entry
{
	@[ustack(3)] = count();
}
