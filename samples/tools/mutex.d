/* SPDX-License-Identifier: MIT */
/* Which locks are contended, how long do threads wait for them, and hold them?
 *
 *	dtrace -s mutex -c CMD | -p PID  [TOP]
 *
 *	dtrace -s mutex -c build/samples/kitchen
 *	dtrace -s mutex -p $(pgrep redis-server) 5
 *
 * Prints for each pthread mutex, by its name or address: how often it was taken, and of
 * these how often it was not free; the microseconds that threads waited for it, the
 * microseconds that it was held, and the longest hold. Below: the stacks that waited, and
 * those that held it (where they let go of it), by time, the longest last; the TOP (20) of
 * each. While pthread_cond_wait() has let go of a mutex it counts as held. trylock counts
 * if it succeeds.
 */
#pragma D option quiet
#pragma D option defaultargs=20
#pragma D option zdefs
#pragma D option dynvarsize=16m

BEGIN
{
	setopt("aggtop", $$1);
}

/* The first word of a mutex is 0 if it is free; a recursive owner does not wait. */
fpid$target::pthread_mutex_lock:entry,
fpid$target::pthread_mutex_timedlock:entry,
fpid$target::pthread_mutex_clocklock:entry,
fpid$target::pthread_mutex_trylock:entry
{
	self->mutex = arg0;
	self->busy = *(int *)copyin(arg0, 4) != 0 && *(int *)copyin(arg0 + 8, 4) != tid;
	self->start = timestamp;
}

fpid$target::pthread_mutex_lock:return,
fpid$target::pthread_mutex_timedlock:return,
fpid$target::pthread_mutex_clocklock:return,
fpid$target::pthread_mutex_trylock:return
/self->mutex && (int)arg1 == 0/
{
	@taken[usym(self->mutex)] = count();
	@busy[usym(self->mutex)] = sum(self->busy);
	@waited[usym(self->mutex)] = sum(self->busy ? timestamp - self->start : 0);
	held[self->mutex] = timestamp;
}

fpid$target::pthread_mutex_lock:return,
fpid$target::pthread_mutex_timedlock:return,
fpid$target::pthread_mutex_clocklock:return
/self->mutex && self->busy/
{
	@waiters[usym(self->mutex), ustack(12)] = sum(timestamp - self->start);
}

fpid$target::pthread_mutex_lock:return,
fpid$target::pthread_mutex_timedlock:return,
fpid$target::pthread_mutex_clocklock:return,
fpid$target::pthread_mutex_trylock:return
{
	self->mutex = 0;
}

fpid$target::pthread_mutex_unlock:entry
/held[arg0]/
{
	this->held = timestamp - held[arg0];
	@held[usym(arg0)] = sum(this->held);
	@longest[usym(arg0)] = max(this->held);
	@holders[usym(arg0), ustack(12)] = sum(this->held);
	held[arg0] = 0;
}

END
{
	normalize(@waiters, 1000);
	normalize(@holders, 1000);
	normalize(@waited, 1000);
	normalize(@held, 1000);
	normalize(@longest, 1000);
	printa("%A was held for %@d us until\n%-4k\n", @holders);
	printa("%A was waited for %@d us by\n%-4k\n", @waiters);
	setopt("aggsortrev");
	printf("%-44s %10s %10s %12s %12s %12s\n", "MUTEX", "TAKEN", "NOT-FREE", "WAITED-US",
	    "HELD-US", "LONGEST-US");
	printa("%-44A %@10d %@10d %@12d %@12d %@12d\n", @taken, @busy, @waited, @held, @longest);
}
