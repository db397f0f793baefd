/* run: -x printstl -x printnatural -c '@containers@ damaged' */
/* Nodes that lead nowhere or in a circle, lengths that are impossible. */
pid$target:a.out:take_trees:entry
{
	print(args[0]->names);
	print(args[0]->numbers);
	/* what no compiler would ask for */
	this->nodes = (uint64_t *)alloca(24);
	print_nodes(this->nodes, arg0, 9, 0xffffffffffffffff, 2, 0x800000002);
	printf("%d bytes, ended %d\n", (int)this->nodes[0], this->nodes[0] >> 56);
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
