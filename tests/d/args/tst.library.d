/* run: -c @typed@ */
pid$target:typed_lib:library_call:entry
{
	printf("%d %d\n", args[1], *(userland int *)args[0]);
}
pid$target:typed_lib:library_call:return
{
	printf("%d\n", args[1]);
}
