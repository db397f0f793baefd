/*
 * "?:" with a constant condition selects a statement: the other branch may name what
 * does not exist, call actions with wrong arguments, or have another type.
 */
/* run: -s @file@ 7 0 */
#pragma D option quiet
inline int OPT = 1;
inline int NOT = !OPT;
inline int first[int a, int b] = a ? OPT : NOT;

BEGIN
{
	OPT ? printf("one\n") : 1;
	NOT ? printf("wrong\n", nosuch) : printf("two\n");
	NOT ? nosuch(1, 2) : 1;
	OPT ? (NOT ? trace("wrong") : printf("three\n")) : exit();
	$1 == 7 ? printf("seven\n") : self->never++;
	$2 ? printf("wrong\n") : 1;
	NOT ? 1 : OPT ? trace("four\n") : nosuch;
	first[1, 2] ? printf("five\n") : 1;
	first[0, 2] ? printf("wrong\n") : 1;
	((OPT)) ? (printf("six\n")) : 1;
	sizeof (int) == 4 ? printf("sizes\n") : 1;

	printf(OPT ? "%s\n" : "%d\n", "text");
	OPT ? (@a["x"] = count()) : (@a[1] = sum(1, 2, 3));
	NOT ? (@never = count()) : 1;
	@b[OPT ? "key" : nosuch] = OPT ? sum(5) : count(1);
	@b["key"] = NOT ? nosuch() : NOT ? min(4) : sum(3);
	printa(NOT ? "%d" : "%s %@d\n", OPT ? @a : @nosuch);
	printa(OPT ? @b : @nosuch);
	clear(NOT ? @nosuch : @a);
	normalize(OPT ? @b : 1, 2);
	OPT ? printa("%s %@d\n", @a, @b) : 1;
	OPT ? clear(@a) : 1;
	trunc(OPT ? @a : @b);
	trunc(@b);
	OPT ? exit(0) : 1;
}
