/* SPDX-License-Identifier: MIT */
/* How many threads wait for each processor?
 *
 *	dtrace -s runqlen [SECONDS]
 *
 * Prints a histogram for each processor: how many threads were in its queue as one more
 * came. Threads that waited before the start are not known. Of the whole machine, for
 * root; until Ctrl-C, or for so many seconds.
 */
#pragma D option quiet
#pragma D option defaultargs=0

int queued[int], length[int];

/* It has run: that it was taken from the queue has not been seen. */
sched:::off-cpu
/queued[tid]/
{
	length[queued[tid] - 1]--;
	queued[tid] = 0;
}

sched:::enqueue
/!queued[args[0]->pr_lwpid]/
{
	queued[args[0]->pr_lwpid] = args[2]->cpu_id + 1;
	length[args[2]->cpu_id]++;
	@lengths[args[2]->cpu_id] = lquantize(length[args[2]->cpu_id], 0, 20, 1);
}

sched:::dequeue
/queued[args[0]->pr_lwpid]/
{
	length[queued[args[0]->pr_lwpid] - 1]--;
	queued[args[0]->pr_lwpid] = 0;
}

END
{
	printa("processor %d, threads%@d\n", @lengths);
}

tick-1s
/$1 && ++seconds >= $1/
{
	exit(0);
}
