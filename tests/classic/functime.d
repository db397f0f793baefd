#!/usr/sbin/dtrace -s
/* Time of functions with and without those that they call.
 * run: -c "@errands@ calls" */

#pragma D option quiet

self int depth;

pid$target:a.out:factorial:entry,
pid$target:a.out:middle:entry,
pid$target:a.out:leaf:entry
{
	self->depth++;
	self->inside[self->depth] = 0;
	self->begin[self->depth] = timestamp;
	@calls[probefunc] = count();
	@deepest = max(self->depth);
}

pid$target:a.out:factorial:return,
pid$target:a.out:middle:return,
pid$target:a.out:leaf:return
/self->begin[self->depth]/
{
	this->all = timestamp - self->begin[self->depth];
	this->own = this->all - self->inside[self->depth];
	self->begin[self->depth] = 0;
	self->inside[self->depth] = 0;
	self->depth--;
	self->inside[self->depth] += this->all;
	@sane[this->own > 0 && this->own <= this->all] = count();
	@all[probefunc] = sum(this->all);
	@own[probefunc] = sum(this->own);
}

dtrace:::END
{
	printa("%-10s %@6d calls\n", @calls);
	printa("deepest %@d\n", @deepest);
	printa("sane %d: %@d\n", @sane);
	trunc(@all);
	trunc(@own);
}
