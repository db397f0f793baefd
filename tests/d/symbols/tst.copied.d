/* run: -c @typed@ */
/* the program has taken the variable over: the library's own is never changed */
pid$target:a.out:finish:entry
{
	printf("%d %d\n", typed_lib`library_shared, `library_shared);
}
