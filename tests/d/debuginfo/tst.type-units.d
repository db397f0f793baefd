/* run: -c @typed_units@ */
pid$target:a.out:take_item:entry
{
	printf("%s %d %d %d\n", stringof(args[0]->name), args[0]->at.x, args[0]->at.y, args[0]->color == GREEN);
	printf("%s %d\n", stringof(args[0]->next->name), args[0]->next->next == NULL);
	printf("%d %d %d %d\n", args[0]->matrix[0][0], args[0]->matrix[1][2], args[0]->number.i, args[0]->number.byte[3]);
	printf("%d %d %d %d\n", args[0]->inner, args[0]->half, args[0]->whole, args[0]->is_set);
	printf("%s %d\n", stringof(args[0]->text), args[0]->text[1]);
}
