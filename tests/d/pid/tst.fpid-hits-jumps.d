/* Jumps as well: the last line counts firings, two for the first instruction of middle(). */
/* run: -s @file@ -c @stacks@ */
fpid$target:a.out:middle:entry, fpid$target:a.out:middle:0, fpid$target:a.out:mark:entry, fpid$target:a.out:mark:return
{
	@ = count();
}
