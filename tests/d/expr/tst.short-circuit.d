/* && and || leave the right side out, ^^ does not */
BEGIN
{
	z = 0; t = 1; x = 0;
	r = z && (x = 1); printf("%d %d\n", r, x);
	r = t || (x = 1); printf("%d %d\n", r, x);
	r = t && (x = 2); printf("%d %d\n", r, x);
	r = z || (x = 3); printf("%d %d\n", r, x);
	r = t ^^ (x = 4); printf("%d %d\n", r, x);
	r = z && *(int *)0; printf("%d\n", r);
	exit(0);
}
