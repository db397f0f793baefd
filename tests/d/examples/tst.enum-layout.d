enum color { red, green = 5, blue };
struct pt { char c; int x; short s; };
BEGIN
{
	printf("%d %d\n", green, blue);
	printf("%d %d %d\n", sizeof (struct pt), offsetof(struct pt, x),
	    offsetof(struct pt, s));
	exit(0);
}
