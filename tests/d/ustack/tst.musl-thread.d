/* ... and for threads. */
/* run: -s @file@ -c @threads_musl@ */
pid$target:a.out:worker:entry
{
	@[ustack()] = count();
}
