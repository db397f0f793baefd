#!/usr/sbin/dtrace -s
/* Distribution of the time in a function. $1 is the unit in microseconds, 1000 without it.
 * run: -c "@errands@ naps" */

#pragma D option quiet
#pragma D option defaultargs

inline int UNIT = $1 ? $1 : 1000;

pid$target::nap:entry
{
	self->begin = timestamp;
	self->asked = arg0;
}

pid$target::nap:return
/self->begin/
{
	this->took = (timestamp - self->begin) / (1000 * UNIT);
	@lin["took"] = lquantize(this->took, 0, 20, 5);
	@asked = sum(self->asked);
	@no[this->took < self->asked] = count();
	self->begin = 0;
}

dtrace:::END
{
	printf("unit %d us, second argument \"%s\"\n", UNIT, $$2);
	printa(@lin);
	printa("asked for %@d ms\n", @asked);
	printa("early: %d, %@d times\n", @no);
}
