/* a string keeps the first strsize bytes */
/* run: -x strsize=8 */
BEGIN
{
	s = "0123456789abcdef"; self->t = "0123456789"; this->u = "01234567"; a[1] = "0123456789";
	printf("[%s] [%s] [%s] [%s]\n", s, self->t, this->u, a[1]);
	printf("%d %d %d\n", sizeof (s), sizeof (string), strlen(s));
	printf("%d\n", s == "01234567zzz");
	exit(0);
}
