/* Where a name lives, and what type it gets. */
int turns;
self int depth;
this char *name;
string label;
int table[int, string];

pid$target::f:entry
/self->depth < 10 && turns/
{
	self->depth++;
	this->name = (char *)arg0;
	label = "deep";
	table[turns, label] = self->depth;
	self->at[tid] = timestamp;
}
