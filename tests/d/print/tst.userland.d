/* run: -q */
/* types of the program's memory are named as in its source */
struct two {
	userland char *text;
	struct two *next;
};
struct two t;
BEGIN
{
	print((userland char *)16);
	print((userland struct two *)32);
	print(t);
	exit(0);
}
