/* run: -c @typed@ */
/* right for the second specifier, wrong for the first */
pid$target:a.out:take_item:entry,
pid$target:a.out:move_point:entry
{
	trace(args[0]->x);
}
