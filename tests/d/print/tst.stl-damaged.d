/* run: -x printstl -c '@stl@ damaged' */
/* A string and a vector whose lengths and addresses are impossible. */
pid$target:a.out:text:entry
{
	print(*args[0]);
	trace(stringof(args[0]));
}

pid$target:a.out:whole:entry
{
	this->piece = (uint64_t *)alloca(24);
	print_piece(this->piece, arg0, 0xffffffffffffffff, 16);
	printf("%d bytes, number %d\n", this->piece[0], (int)this->piece[1]);
	print_piece(this->piece, 0xdead000, 8, 16);
	printf("%d bytes, number %d\n", this->piece[0], (int)this->piece[1]);
	print(args[0]->name);
	print(args[0]->items);
	print(args[0]->note);
}
