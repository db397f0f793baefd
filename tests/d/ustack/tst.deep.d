/* more frames than are asked for */
/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 9/
{
	ustack(5);
}
