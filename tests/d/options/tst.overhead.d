/* what the probes cost comes after everything else */
/* run: -x overhead -c @once@ */
pid$target:a.out:f:
{
	@[probename] = count();
}
