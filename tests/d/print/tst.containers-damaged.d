/* run: -x printstl -x printnatural -c '@containers@ damaged' */
/* Nodes that lead nowhere or in a circle, lengths that are impossible. */
pid$target:a.out:take_trees:entry
{
	print(args[0]->names);
	print(args[0]->numbers);
}

pid$target:a.out:take_lists:entry
{
	print(args[0]->texts);
	print(args[0]->shorts);
	print(args[0]->hash);
	print(args[0]->deque);
}

pid$target:a.out:take_parts:entry
{
	print(args[0]->number);
	print(args[0]->text);
}
