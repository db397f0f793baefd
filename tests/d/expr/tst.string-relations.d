/* strings compare by content, like strcmp */
BEGIN
{
	a = "abc"; b = "abd"; e = "";
	printf("%d%d%d%d%d%d\n", a < b, a <= b, a > b, a >= b, a == b, a != b);
	printf("%d%d%d%d%d%d\n", a < a, a <= a, a > a, a >= a, a == a, a != a);
	printf("%d%d%d\n", a > e, "ab" < a, "abcd" > a);
	printf("%d%d%d\n", "a\377" > "a\1", "Z" < "a", a == "abc");
	exit(0);
}
