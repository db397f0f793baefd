/* SPDX-License-Identifier: MIT */
/* How long do the functions take? One histogram each, in microseconds.
 *	dtrace -qs samples/latency.d -c build/samples/kitchen */
fpid$target:a.out:cook:entry,
fpid$target:a.out:serve:entry,
fpid$target:a.out:take_order:entry
{
	self->start[probefunc] = timestamp;
}

fpid$target:a.out:cook:return,
fpid$target:a.out:serve:return,
fpid$target:a.out:take_order:return
/self->start[probefunc]/
{
	@us[probefunc] = quantize((timestamp - self->start[probefunc]) / 1000);
	self->start[probefunc] = 0;
}
