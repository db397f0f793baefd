/* run: -c @typed@ */
pid$target:a.out:move_point:entry
{
	this->x = &args[0]->x;
	this->next = this->x + 1;
	printf("%d %d\n", *this->x, *this->next);
}
