/* widths and precisions of strings */
BEGIN
{
	printf("[%s][%8s][%-8s][%.2s][%8.2s][%-8.2s]\n", "abc", "abc", "abc", "abc", "abc", "abc");
	printf("[%s][%5s][%.0s][%.9s]\n", "", "", "abc", "abc");
	s = "variable"; printf("%s %.3s %s\n", s, s, stringof s);
	exit(0);
}
