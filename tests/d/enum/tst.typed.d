/* an enumerator has the type of its enum; in arithmetic it is an int */
enum color { LOW, HIGH = 9, NEXT = HIGH + 1 };
enum color c;

BEGIN
{
	print(HIGH);
	c = NEXT;
	print(c);
	x = HIGH;
	print(x);
	print(HIGH + 1);
	print(-HIGH);
	print(HIGH << 1);
	print(HIGH + LOW);
	print((int)HIGH);
	trace(HIGH);
	printf("\n%d %x %d\n", HIGH, HIGH, HIGH == c);
	@[HIGH] = count();
	printa("%d %@d\n", @);
	clear(@);
	trunc(@);
	exit(0);
}
