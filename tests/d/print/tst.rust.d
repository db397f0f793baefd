/* run: -x printstl -c @strings@ */
/* Strings, slices and vectors of Rust. */
pid$target:a.out:take_str:entry
{
	print(args[0]);
	printf("%s|%d\n", stringof(args[0]), args[1]);
}

pid$target:a.out:take_string:entry
{
	print(*args[0]);
	print(*args[1]);
	printf("%s\n", stringof(args[0]));
}

pid$target:a.out:take_slice:entry
{
	print(args[0]);
}

pid$target:a.out:take_order:entry
{
	print(*args[0]);
}
