/* string, pointer and narrow values */
char c[int];
BEGIN
{
	s["k"] = "value"; p[1] = (int *)32; c[1] = 300;
	printf("%s %p %d [%s] %p\n", s["k"], p[1] + 1, c[1], s["none"], p[2]);
	s["k"] = s["none"]; printf("[%s]\n", s["k"]);
	exit(0);
}
