#!/usr/sbin/dtrace -Zs
/* What a process takes from the heap and gives back; attached by its number.
 * attach: heap
 * run: -p @pid@ @pid@ */

#pragma D option quiet

pid$1:libc:malloc:entry,
pid$1:libc.so.6:calloc:entry
{
	self->size = probefunc == "malloc" ? arg0 : arg0 * arg1;
	self->is_in = 1;
}

pid$1:libc:malloc:return,
pid$1:libc:calloc:return
/self->is_in/
{
	@calls[probefunc] = count();
	@bytes[probefunc] = sum(self->size);
	@sizes = quantize(self->size);
	live[arg1] = self->size;
	self->is_in = 0;
	self->size = 0;
}

pid$1:libc:free:entry
/live[arg0]/
{
	@given["free"] = sum(live[arg0]);
	@frees["free"] = count();
	live[arg0] = 0;
}

dtrace:::END
{
	printa("%-8s %@6d calls %@8d bytes\n", @calls, @bytes);
	printa("%-8s %@6d calls %@8d bytes\n", @frees, @given);
	printa(@sizes);
}
