/* run: -x ustackline -c @inlinestack@ */
/* Lines without frames of inlined functions: the innermost line of each frame. */
pid$target:a.out:leaf:entry
{
	ustack(3);
}
