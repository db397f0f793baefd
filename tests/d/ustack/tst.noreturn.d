/* the call is its function's last instruction: it is named, not what follows */
/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 7/
{
	ustack(4);
}
