/* run: -c @typed@ */
pid$target:a.out:array_and_callback:entry
{
	trace(*(userland int *)args[3]);
}
ERROR
{
	printf("fault %d at %x\n", arg4, arg5);
}
