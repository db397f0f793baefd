/* run: -s @file@ -c @constants@ */
/* bytes of a function that was named, which may be data, are said to have no probes */
pid$target:a.out:table:return
{
	exit(0);
}
