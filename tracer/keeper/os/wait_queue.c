/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/wait_queue.h"
#include "tracer/keeper/os/deadline.h"
#include "tracer/keeper/os/procfs.h"
#include "vm/base/host/vec.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>

/* The timer repeats, so that a tick just before waitpid() is not the last. */
#define TICK_US 20000

static void wake(int sig)
{
	(void)sig;
}

int wait_queue_init(struct wait_queue *s)
{
	struct sigaction sa = {.sa_handler = wake};
	struct sigaction no_stops = {.sa_flags = SA_NOCLDSTOP};

	*s = (struct wait_queue){0};
	sigemptyset(&sa.sa_mask);
	/* Saves a SIGCHLD for each stop; waitpid() returns all the same. */
	no_stops.sa_handler = SIG_DFL;
	sigaction(SIGCHLD, &no_stops, NULL);
	if (sigaction(SIGALRM, &sa, NULL) < 0 ||
	    sigaction(WAIT_QUEUE_WAKE, &sa, NULL) < 0)
		return STATUS_IO;
	return 0;
}

void wait_queue_release(struct wait_queue *s)
{
	vec_release(&s->kept);
}

static void set_timer(long us)
{
	struct itimerval t = {{0, us}, {0, us}};

	setitimer(ITIMER_REAL, &t, NULL);
}

/*
 * The end of a thread group's leader is not reported before its other threads have been
 * reaped, and none is reaped while the keeper waits for the leader alone.
 */
static bool is_dead(int tid)
{
	struct procfs_status st;

	return procfs_status(tid, &st) < 0 || st.state == 'Z' || st.state == 'X';
}

static int wait_until(int tid, unsigned ms, int *status)
{
	struct deadline deadline = deadline_in(ms);

	for (;;) {
		if (waitpid(tid, status, __WALL) == tid)
			return 0;
		if (errno != EINTR)
			return STATUS_GONE;
		if (is_dead(tid))
			return waitpid(tid, status, __WALL | WNOHANG) == tid
				       ? 0
				       : STATUS_GONE;
		if (!deadline_left(&deadline))
			return STATUS_BUSY;
	}
}

void wait_queue_keep(struct wait_queue *s, int tid, int status)
{
	*vec_push(&s->kept) = (struct wait_queue_one){tid, status};
}

bool wait_queue_has(const struct wait_queue *s, int tid)
{
	for (size_t i = 0; i < s->kept.len; i++)
		if (s->kept.data[i].tid == tid)
			return true;
	return false;
}

/* Takes the thread's first kept stop out; its end stays for wait_queue_next(). */
static bool take_kept(struct wait_queue *s, int tid, int *status)
{
	for (size_t i = 0; i < s->kept.len; i++) {
		struct wait_queue_one *one = &s->kept.data[i];

		if (one->tid != tid || !WIFSTOPPED(one->status))
			continue;
		*status = one->status;
		memmove(one, one + 1, (--s->kept.len - i) * sizeof(*one));
		return true;
	}
	return false;
}

int wait_queue_wait_tid(struct wait_queue *s, int tid, unsigned ms, int *status)
{
	int result;

	if (take_kept(s, tid, status))
		return 0;
	set_timer(TICK_US);
	result = wait_until(tid, ms, status);
	set_timer(0);
	if (result < 0 || WIFSTOPPED(*status))
		return result;
	*vec_push(&s->kept) = (struct wait_queue_one){tid, *status};
	return STATUS_GONE;
}

void wait_queue_close(struct wait_queue *s)
{
	int status;

	if (s->open && waitpid(s->open, &status, __WALL | WNOHANG) == s->open &&
	    !WIFSTOPPED(status))
		wait_queue_keep(s, s->open, status); /* it has been killed meanwhile */
	s->open = 0;
}

/* As waitpid(2) has it. */
static int stopped_status(const siginfo_t *info)
{
	return info->si_status << 8 | 0x7f;
}

/* 0, or -1 with errno. */
static int look(siginfo_t *info)
{
	info->si_pid = 0;
	return waitid(P_ALL, 0, info, WEXITED | WSTOPPED | WNOWAIT | __WALL);
}

int wait_queue_next(struct wait_queue *s, int *status)
{
	siginfo_t info;
	pid_t tid;

	s->open = 0;
	if (s->kept.len) {
		struct wait_queue_one one = s->kept.data[0];

		memmove(s->kept.data, s->kept.data + 1, --s->kept.len * sizeof(one));
		*status = one.status;
		return one.tid;
	}
	s->has_tracees = look(&info) == 0 || errno != ECHILD;
	if (!s->has_tracees || !info.si_pid)
		return 0;
	if (info.si_code == CLD_TRAPPED && info.si_status == SIGTRAP) {
		s->open = info.si_pid;
		*status = stopped_status(&info);
		return s->open;
	}
	tid = waitpid(info.si_pid, status, __WALL | WNOHANG);
	return tid > 0 ? tid : 0;
}
