/* ... also where that code has no name. */
/* run: -s @file@ -c @once_musl_dynamic@ */
pid$target:a.out:f:entry
{
	ustack();
}
