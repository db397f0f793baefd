/* run: -c '@enums@ damaged' */
/* A discriminant that is that of no variant. */
pid$target:a.out:take_signed:entry
{
	print(*args[0]);
}
