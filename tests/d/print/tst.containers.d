/* run: -x printstl -x printnatural -c @containers@ */
/* Containers of C++, and what contains values in itself. */
pid$target:a.out:take_trees:entry
{
	print(*args[0]);
}

pid$target:a.out:take_lists:entry
{
	print(args[0]->texts);
	print(args[0]->shorts);
	print(args[0]->none);
	print(args[0]->hash);
	print(args[0]->set);
	print(args[0]->deque);
	print(args[0]->points);
}

pid$target:a.out:take_parts:entry,
pid$target:a.out:take_times:entry,
pid$target:a.out:take_own:entry
{
	print(*args[0]);
}
