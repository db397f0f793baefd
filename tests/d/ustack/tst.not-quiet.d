/* run: -c @stacks@ -s @file@ */
pid$target:a.out:mark:entry
/arg0 == 1/
{
	printf("now");
	ustack(2);
	trace(1);
}
