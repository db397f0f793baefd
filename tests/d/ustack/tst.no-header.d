/* .eh_frame is all there is: neither symbols nor a table that leads to it. */
/* run: -c @stacks_no_header@ */
pid$target:a.out:mark:entry
/arg0 == 1/
{
	ustack();
}
