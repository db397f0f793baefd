/* through the frame that the kernel made */
/* run: -c @stacks@ */
pid$target:a.out:mark:entry
/arg0 == 5/
{
	ustack();
}
