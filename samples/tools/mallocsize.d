/* SPDX-License-Identifier: MIT */
/* Which sizes of memory are asked for, and by whom?
 *
 *	dtrace -s mallocsize -c CMD | -p PID  [MODULE [TOP]]
 *
 * MODULE is the one that has malloc() (initially any).
 *
 *	dtrace -s mallocsize -c 'sqlite3 :memory: "select 1"'
 *	dtrace -s mallocsize -p $(pgrep redis-server)
 *
 * Prints a histogram of the bytes asked of malloc(), calloc() and realloc(), and the TOP
 * (20) places that call them, by bytes.
 */
#pragma D option quiet
#pragma D option defaultargs=*,20
#pragma D option zdefs
#pragma D option aggsortrev

BEGIN
{
	setopt("aggtop", $$2);
}

/* One that another one calls does not count. */
fpid$target:$1:malloc:entry, fpid$target:$1:calloc:entry, fpid$target:$1:realloc:entry
/!self->depth++/
{
	this->bytes = probefunc == "malloc" ? arg0 : probefunc == "realloc" ? arg1 : arg0 * arg1;
	@sizes[probemod, probefunc] = quantize(this->bytes);
	@bytes[probefunc, uaddr(ucaller)] = sum(this->bytes);
	@calls[probefunc, uaddr(ucaller)] = count();
	@mean[probefunc, uaddr(ucaller)] = avg(this->bytes);
}

fpid$target:$1:malloc:return, fpid$target:$1:calloc:return, fpid$target:$1:realloc:return
/self->depth/
{
	self->depth--;
}

END
{
	printa("%#s`%#s, bytes:%@d\n", @sizes);
	printf("%-10s %-52s %14s %7s %10s %10s\n", "CALL", "CALLED FROM", "BYTES", "SHARE",
	    "CALLS", "MEAN");
	printa("%#-10s %-52A %@14d %@6.2f%% %@10d %@10d\n", @bytes, @bytes, @calls, @mean);
}
