/* by the text alone */
BEGIN
{
	printf("[%s]\n", basename("/foo/bar/baz"));
	printf("[%s]\n", basename("/foo/bar///baz/"));
	printf("[%s]\n", basename("/foo/bar/baz/."));
	printf("[%s]\n", basename("foo/bar/baz/"));
	printf("[%s]\n", basename("/"));
	printf("[%s]\n", basename("//"));
	printf("[%s]\n", basename("/////"));
	printf("[%s]\n", basename("./"));
	printf("[%s]\n", basename("."));
	printf("[%s]\n", basename("/."));
	printf("[%s]\n", basename("/./"));
	printf("[%s]\n", basename("/./."));
	printf("[%s]\n", basename("f"));
	printf("[%s]\n", basename("f/"));
	printf("[%s]\n", basename(""));
	exit(0);
}
