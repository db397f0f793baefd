/* trace() of a struct, a member, an array; text if the bytes look like it */
struct p { int x; char c[8]; };
struct p p;
int v[2];

BEGIN
{
	p.x = 0x41424344;
	p.c[0] = 'h';
	p.c[1] = 'i';
	trace(p);
	trace(p.c);
	trace(p.x);
	v[1] = 258;
	trace(v);
	exit(0);
}
