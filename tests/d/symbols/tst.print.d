/* run: -c @typed@ */
pid$target:a.out:move_point:entry
{
	print(*args[0]);
}
