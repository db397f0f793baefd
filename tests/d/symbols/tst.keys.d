/* run: -c @typed@ */
pid$target:a.out:many:entry
{
	@[stringof(a.out`greeting), a.out`origin.y] = count();
}
