/* by the text alone */
BEGIN
{
	printf("[%s]\n", cleanpath("/foo/bar///baz/"));
	printf("[%s]\n", cleanpath("/foo/bar/baz/."));
	printf("[%s]\n", cleanpath("/foo/bar/baz/./"));
	printf("[%s]\n", cleanpath("/foo/bar/../../baz/.//"));
	printf("[%s]\n", cleanpath("foo/bar/./././././baz/"));
	printf("[%s]\n", cleanpath("/../../../"));
	printf("[%s]\n", cleanpath("./"));
	printf("[%s]\n", cleanpath("/."));
	printf("[%s]\n", cleanpath("/./."));
	printf("[%s]\n", cleanpath("//"));
	printf("[%s]\n", cleanpath(""));
	printf("[%s]\n", cleanpath("/"));
	printf("[%s]\n", cleanpath("/a/b"));
	printf("[%s]\n", cleanpath("a/../b"));
	printf("[%s]\n", cleanpath("../a"));
	printf("[%s]\n", cleanpath("a/../../b"));
	printf("[%s]\n", cleanpath("/a/..b/"));
	printf("[%s]\n", cleanpath("/a/.../b"));
	exit(0);
}
