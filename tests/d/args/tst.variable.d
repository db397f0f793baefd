/* run: -c @typed@ */
pid$target:a.out:array_and_callback:entry
{
	self->names = args[1];
	self->values = args[0];
}
pid$target:a.out:array_and_callback:return
{
	printf("%d %s\n", self->values[2], stringof(self->names[0]));
}
