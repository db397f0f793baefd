/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/cut_call.h"
#include "tracer/keeper/os/stop.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#define NSEC_PER_MSEC	   UINT64_C(1000000)
#define NONE		   (-1)
#define EPOLL_TIMEOUT	   3   /* argument of epoll_wait() and epoll_pwait() */
#define MESSAGE_BYTES	   64  /* struct mmsghdr */
#define URING_SUBMIT	   1   /* argument: how many are to be submitted */
#define URING_WAIT	   2   /* argument: how many are waited for */
#define URING_FLAGS	   3   /* argument */
#define URING_GETEVENTS	   1u  /* IORING_ENTER_GETEVENTS */
#define NR_EPOLL_PWAIT2	   441 /* newer than some headers, as the next */
#define NR_COPY_FILE_RANGE 326

/* When a count that is less than asked for is a part that a stop has caused. */
enum cut_when {
	WHEN_SHORT,    /* always: made again, the call returns 0 or an error if not */
	WHEN_FILLED,   /* if the descriptor is CUT_FILE_FILLS */
	WHEN_STORED,   /* if the descriptor is CUT_FILE_STORED */
	WHEN_ALL,      /* with MSG_WAITALL on a stream */
	WHEN_MESSAGES, /* recvmmsg: without a time-out or flags that end it early */
};

/*
 * Calls that return how much they have done. The arguments of the call for the rest:
 * buffer and offset grow, count shrinks.
 */
static const struct partial {
	int64_t nr;
	uint32_t unit; /* bytes of the buffer for 1 of the count */
	int8_t buffer, count, offset;
	uint8_t when; /* enum cut_when */
} partials[] = {
	{SYS_read, 1, 1, 2, NONE, WHEN_FILLED},
	{SYS_pread64, 1, 1, 2, 3, WHEN_FILLED},
	{SYS_getrandom, 1, 0, 1, NONE, WHEN_SHORT},
	{SYS_write, 1, 1, 2, NONE, WHEN_SHORT},
	{SYS_pwrite64, 1, 1, 2, 3, WHEN_SHORT},
	{SYS_sendto, 1, 1, 2, NONE, WHEN_SHORT},
	{SYS_recvfrom, 1, 1, 2, NONE, WHEN_ALL},
	{SYS_sendmmsg, MESSAGE_BYTES, 1, 2, NONE, WHEN_SHORT},
	{SYS_recvmmsg, MESSAGE_BYTES, 1, 2, NONE, WHEN_MESSAGES},
	/* these keep their offsets by themselves */
	{SYS_sendfile, 1, NONE, 3, NONE, WHEN_SHORT},
	{NR_COPY_FILE_RANGE, 1, NONE, 4, NONE, WHEN_SHORT},
	{SYS_splice, 1, NONE, 4, NONE, WHEN_STORED},
};

/*
 * Calls that return EINTR after any stop, even without a signal handler (signal(7): in
 * the kernel they return -EINTR where others return -ERESTART*). None of them has had an
 * effect then that a second call does not expect. close() is left out on purpose.
 */
static bool can_repeat(int64_t nr)
{
	switch (nr) {
	case SYS_read: /* from here on: sockets with SO_RCVTIMEO or SO_SNDTIMEO */
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_sendfile:
	case SYS_splice:
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case NR_EPOLL_PWAIT2:
	case SYS_rt_sigtimedwait:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_io_getevents:
	case SYS_io_uring_enter:
	case SYS_fallocate:
		return true;
	default:
		return false;
	}
}

static const struct partial *partial_of(int64_t nr)
{
	for (size_t i = 0; i < ARRAY_LEN(partials); i++)
		if (partials[i].nr == nr)
			return &partials[i];
	return NULL;
}

static bool is_interrupted(int64_t result)
{
	return result == -EINTR || stop_is_restarted(result);
}

static bool has_timeout(int64_t nr)
{
	return nr == SYS_epoll_wait || nr == SYS_epoll_pwait;
}

static bool is_partial(const struct cut_call *c, const struct cut_stop *s,
		       const struct partial *p)
{
	int fd = (int)c->args[0];

	switch ((enum cut_when)p->when) {
	case WHEN_SHORT:
		return true;
	case WHEN_FILLED:
		return s->file_is(s->tid, fd, CUT_FILE_FILLS);
	case WHEN_STORED:
		return s->file_is(s->tid, fd, CUT_FILE_STORED);
	case WHEN_ALL:
		return (c->args[3] & (MSG_WAITALL | MSG_PEEK | MSG_DONTWAIT)) ==
			       MSG_WAITALL &&
		       s->file_is(s->tid, fd, CUT_FILE_STREAM);
	case WHEN_MESSAGES:
		return !(c->args[3] & (MSG_WAITFORONE | MSG_DONTWAIT)) && !c->args[4];
	}
	return false;
}

/* io_uring_enter has submitted all that it should, and then may have waited. */
static bool may_have_waited(const struct cut_call *c)
{
	return c->nr == SYS_io_uring_enter &&
	       c->done == (uint32_t)c->args[URING_SUBMIT] &&
	       (uint32_t)c->args[URING_WAIT] && c->args[URING_FLAGS] & URING_GETEVENTS;
}

/* Whether something is left to do for a call that has done a part, because of a stop. */
static bool has_rest(const struct cut_call *c, const struct cut_stop *s)
{
	const struct partial *p = partial_of(c->nr);

	if (s->is_exit && !c->is_expected)
		return false;
	if (may_have_waited(c))
		return true;
	return p && c->done < c->args[p->count] && is_partial(c, s, p);
}

/* The arguments with which the call is made now. */
static void rest_of(const struct cut_call *c, uint64_t now, uint64_t args[])
{
	const struct partial *p = partial_of(c->nr);

	for (int i = 0; i < REGS_SYSCALL_ARGS; i++)
		args[i] = c->args[i];
	if (c->deadline) {
		uint64_t left = c->deadline > now ? c->deadline - now : 0;

		args[EPOLL_TIMEOUT] = (left + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC;
	}
	if (!c->done)
		return;
	if (!p) {
		args[URING_SUBMIT] = 0;
		return;
	}
	args[p->count] -= c->done;
	if (p->buffer != NONE)
		args[p->buffer] += c->done * p->unit;
	if (p->offset != NONE)
		args[p->offset] += c->done;
}

static bool again(struct cut_call *c, const struct cut_stop *s, struct regs *r)
{
	uint64_t args[REGS_SYSCALL_ARGS];

	rest_of(c, s->now, args);
	/* A second connect() reports a time-out by another error. */
	c->needs_exit = c->nr == SYS_connect || c->done;
	for (int i = 0; i < REGS_SYSCALL_ARGS; i++)
		c->needs_exit |= args[i] != c->args[i];
	regs_set_syscall(r, c->nr, args);
	regs_set_pc(r, c->pc);
	c->is_on = true;
	return true;
}

/* The call returns value to the program, which finds its own arguments. */
static bool end(struct cut_call *c, int64_t value, struct regs *r)
{
	if (c->nr == SYS_connect && value == -EALREADY)
		value = -EINPROGRESS;
	regs_set_syscall(r, value, c->args);
	regs_set_pc(r, c->pc + REGS_SYSCALL_BYTES);
	c->is_on = c->needs_exit = false;
	return true;
}

static int64_t value_of(const struct cut_call *c)
{
	return c->done ? (int64_t)c->done : -EINTR;
}

static uint64_t deadline_of(const struct cut_call *c, uint64_t now)
{
	int32_t ms = (int32_t)c->args[EPOLL_TIMEOUT];

	if (!has_timeout(c->nr) || ms <= 0)
		return 0;
	return (c->began ? c->began : now) + (uint64_t)ms * NSEC_PER_MSEC;
}

static bool begin(struct cut_call *c, const struct cut_stop *s, struct regs *r)
{
	int64_t result = regs_syscall_result(r);

	c->is_on = c->needs_exit = false;
	c->nr = regs_syscall(r);
	if (s->is_caught || (result <= 0 && (result != -EINTR || !can_repeat(c->nr))))
		return false;
	c->pc = regs_pc(r) - REGS_SYSCALL_BYTES;
	c->sp = regs_sp(r);
	for (uint32_t i = 0; i < REGS_SYSCALL_ARGS; i++)
		c->args[i] = regs_syscall_arg(r, i);
	c->done = result > 0 ? (uint64_t)result : 0;
	c->deadline = deadline_of(c, s->now);
	c->began = 0;
	return (!c->done || has_rest(c, s)) && again(c, s, r);
}

/* The call that was made again is at its end, or was cut short once more. */
static bool go_on(struct cut_call *c, const struct cut_stop *s, struct regs *r)
{
	int64_t result = regs_syscall_result(r);

	if (is_interrupted(result)) {
		if (result != -EINTR && !c->needs_exit)
			return false; /* the kernel restarts it as it is */
		return s->is_caught ? end(c, value_of(c), r) : again(c, s, r);
	}
	if (result > 0 && partial_of(c->nr)) {
		c->done += (uint64_t)result;
		if (!s->is_caught && has_rest(c, s))
			return again(c, s, r);
	}
	return end(c, c->done ? (int64_t)c->done : result, r);
}

/* Whether the thread is at the call's exit (is_in), or about to make it again. */
static bool is_here(const struct cut_call *c, const struct regs *r, bool is_in)
{
	int64_t nr = is_in ? regs_syscall(r) : regs_syscall_result(r);

	return c->is_on && nr == c->nr && regs_sp(r) == c->sp &&
	       regs_pc(r) == c->pc + (is_in ? REGS_SYSCALL_BYTES : 0);
}

void cut_call_entered(struct cut_call *c, const struct regs *r, uint64_t now)
{
	if (!is_here(c, r, true))
		c->began = has_timeout(regs_syscall(r)) ? now : 0;
}

bool cut_call_concerns(const struct cut_call *c, const struct regs *r)
{
	int64_t result = regs_syscall_result(r);

	if (regs_syscall(r) < 0)
		return is_here(c, r, false);
	return c->is_on || result == -EINTR || result > 0;
}

bool cut_call_stopped(struct cut_call *c, const struct cut_stop *s, struct regs *r)
{
	bool has_changed = false, is_in = regs_syscall(r) >= 0;

	if (!is_in && is_here(c, r, false))
		has_changed = s->is_caught && end(c, value_of(c), r);
	else if (is_in)
		has_changed = is_here(c, r, true) ? go_on(c, s, r) : begin(c, s, r);
	if (is_in)
		c->is_expected = false;
	return has_changed;
}

bool cut_call_leave(struct cut_call *c, struct regs *r)
{
	if (!c->needs_exit || regs_syscall(r) >= 0 || !is_here(c, r, false))
		return false;
	if (c->done)
		return end(c, value_of(c), r);
	regs_set_syscall(r, c->nr, c->args);
	c->is_on = c->needs_exit = false;
	return true;
}
