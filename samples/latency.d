/* SPDX-License-Identifier: MIT */
/* How long do the functions take? One histogram each, in microseconds.
 *	dtrace -qs samples/latency.d -c build/samples/kitchen */
pid$target:a.out:cook:entry,
pid$target:a.out:serve:entry,
pid$target:a.out:take_order:entry
{
	self->start[probefunc] = timestamp;
}

pid$target:a.out:cook:return,
pid$target:a.out:serve:return,
pid$target:a.out:take_order:return
/self->start[probefunc]/
{
	@us[probefunc] = quantize((timestamp - self->start[probefunc]) / 1000);
	self->start[probefunc] = 0;
}
