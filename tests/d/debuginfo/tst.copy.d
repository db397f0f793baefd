/* run: -c @typed@ */
pid$target:a.out:move_point:entry
{
	self->before = *args[0];
}
pid$target:a.out:move_point:return
{
	printf("%d,%d -> %d,%d\n", self->before.x, self->before.y, args[1]->x, args[1]->y);
}
