/* a recording has stacks of native frames: it is refused, not silently without Python */
/* run: -x pystack -E @tmp@/recording -c @snake11@ -s @file@ */
pid$target:a.out:g:entry
{
	ustack(2);
}
