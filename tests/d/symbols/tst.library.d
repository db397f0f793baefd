/* run: -c @typed@ */
pid$target:a.out:nothing:entry
{
	printf("%d %d\n", typed_lib`library_private, typed_lib.so`library_private);
	printf("%d\n", pid`library_private + pid`typed_lib`library_private);
}
