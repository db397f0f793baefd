/* The last line counts firings: two probes of one instruction fire twice. */
/* run: -s @file@ -c @faulty@ */
fpid$target:a.out:undefined:entry, fpid$target:a.out:undefined:0, fpid$target:a.out:halted:entry
{
	@ = count();
}
