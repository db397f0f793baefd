/* run: -c @typed@ */
pid$target:a.out:take_item:entry
{
	/* the first member of an item is its name */
	this->p = (item_t *)arg0;
	this->q = (a.out`item_t *)arg0;
	printf("%d %s\n", this->p == this->q, stringof(*(userland char **)this->p));
	printf("%d %d\n", (a.out`callback_t)arg0 == (pid`callback_t)arg0, sizeof (pid`unnamed_t));
}
