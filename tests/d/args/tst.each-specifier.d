/* run: -c @typed@ */
/* args[] has the types of the specifier that fired */
pid$target:a.out:take_item:entry,
pid$target:a.out:move_point:entry
/args[0] != NULL/
{
	printf("%s %d %d\n", probefunc, sizeof (*args[0]), args[2]);
}
