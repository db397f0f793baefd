/* run: -x printstl -x printnatural -c @enums@ */
/* Enums of Rust with their variants, and tuples. */
pid$target:a.out:take_shape:entry,
pid$target:a.out:take_all:entry
{
	print(*args[0]);
}
