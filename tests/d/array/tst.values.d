/* string, pointer and narrow values */
char c[int];
BEGIN
{
	s["k"] = "value"; p[1] = (int *)32; c[1] = 300;
	printf("%s %p %d %d %p\n", s["k"], p[1] + 1, c[1], s["none"] == NULL, p[2]);
	s["k"] = s["none"]; printf("%d\n", s["k"] == NULL);
	exit(0);
}
