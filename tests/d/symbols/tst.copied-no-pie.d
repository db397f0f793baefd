/* run: -c @typed_nopie@ */
pid$target:a.out:finish:entry
{
	printf("%d %d\n", typed_lib`library_shared, `library_shared);
}
