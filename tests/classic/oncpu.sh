#!/bin/sh
# Time of each thread on the processor, and the function where samples are.
# run: -

$DTRACE -qn '
profile-997
/pid == $target && arg1/
{
	@where[umod(arg1), ufunc(arg1)] = count();
}

pid$target:a.out:busy:entry
{
	self->ran = vtimestamp;
	self->began = timestamp;
	self->ms = arg0;
	@asked = sum(arg0);
}

pid$target:a.out:busy:return
/self->ran/
{
	this->ran = (vtimestamp - self->ran) / 1000;
	this->passed = (timestamp - self->began) / 1000;
	@ran[self->ms, this->ran >= arg1, this->ran <= this->passed + 1] = count();
	self->ran = 0;
}

END
{
	trunc(@where, 1);
	printa("most samples: %A in %A\n", @where);
	printa("asked for %d ms: as long as it ran %d, not longer than it took %d\n", @ran);
	printa("%@d ms in all\n", @asked);
}' -c "$WORK busy"
