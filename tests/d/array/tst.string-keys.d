/* strings compare by content; a prefix is another key */
BEGIN
{
	s = "abc"; a[s] = 1; a["ab"] = 2; a[""] = 3; a["abcd"] = 4;
	s = "ab"; printf("%d %d %d %d %d\n", a["abc"], a[s], a[""], a["abcd"], a["b"]);
	exit(0);
}
