/* by the text alone */
BEGIN
{
	printf("[%s]\n", dirname("/foo/bar/baz"));
	printf("[%s]\n", dirname("/foo/bar///baz/"));
	printf("[%s]\n", dirname("/foo/bar/baz/."));
	printf("[%s]\n", dirname("foo/bar/baz/"));
	printf("[%s]\n", dirname("/"));
	printf("[%s]\n", dirname("//"));
	printf("[%s]\n", dirname("/////"));
	printf("[%s]\n", dirname("./"));
	printf("[%s]\n", dirname("."));
	printf("[%s]\n", dirname("/."));
	printf("[%s]\n", dirname("/./"));
	printf("[%s]\n", dirname("/./."));
	printf("[%s]\n", dirname("f"));
	printf("[%s]\n", dirname("f/"));
	printf("[%s]\n", dirname(""));
	printf("[%s]\n", dirname("/f"));
	printf("[%s]\n", dirname("//f"));
	exit(0);
}
