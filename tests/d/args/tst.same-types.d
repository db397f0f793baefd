/* run: -c @typed@ */
/* two functions whose second parameters have the same type and place */
pid$target:a.out:many:entry,
pid$target:a.out:move_point:entry
{
	printf("%s %d\n", probefunc, args[1]);
}
