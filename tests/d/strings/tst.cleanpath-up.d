/* ".." disappears at the end as well, with what it goes up from */
BEGIN
{
	printf("[%s]\n", cleanpath("/a/b/.."));
	printf("[%s]\n", cleanpath("/a/.."));
	printf("[%s]\n", cleanpath("/.."));
	printf("[%s]\n", cleanpath("/../.."));
	printf("[%s]\n", cleanpath("/a/../b/c/../.."));
	printf("[%s]\n", cleanpath("a/.."));
	printf("[%s]\n", cleanpath("a/b/.."));
	printf("[%s]\n", cleanpath(".."));
	printf("[%s]\n", cleanpath("../.."));
	printf("[%s]\n", cleanpath("./.."));
	printf("[%s]\n", cleanpath("/a/b.."));
	printf("[%s]\n", cleanpath("/a/..."));
	exit(0);
}
