/* structs, unions and arrays inside one another */
struct leaf { short v[3]; char tag; };
union word { unsigned long all; unsigned char byte[8]; struct leaf leaf; };
struct tree { int n; union word w[2]; struct { int x, y; } at; };
struct tree t;

BEGIN
{
	t.w[1].all = 0x0807060504030201;
	printf("%d %d %d\n", t.w[1].byte[0], t.w[1].byte[7], t.w[1].leaf.v[2]);
	t.w[1].leaf.tag = 'x';
	printf("%x\n", t.w[1].all);
	t.w[0] = t.w[1];
	t.w[1].all = 0;
	printf("%x %x\n", t.w[0].all, t.w[1].all);
	t.at.x = 3;
	t.at.y = t.at.x * 2;
	printf("%d %d %d\n", t.at.x, t.at.y, sizeof (t));
	exit(0);
}
