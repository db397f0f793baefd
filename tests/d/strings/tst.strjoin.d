/* one after the other */
BEGIN
{
	printf("[%s]\n", strjoin("foo", "bar"));
	printf("[%s]\n", strjoin("", ""));
	printf("[%s]\n", strjoin("a", ""));
	printf("[%s]\n", strjoin("", "b"));
	printf("[%s]\n", strjoin(strjoin("a", "b"), strjoin("c", "d")));
	printf("[%s]\n", strjoin(probeprov, probename));
	exit(0);
}
