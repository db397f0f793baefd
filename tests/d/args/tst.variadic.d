/* run: -c @typed@ */
pid$target:a.out:variadic:entry
{
	printf("%s %d\n", stringof(args[0]), arg1);
}
