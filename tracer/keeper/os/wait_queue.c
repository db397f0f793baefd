/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/wait_queue.h"
#include "tracer/keeper/os/deadline.h"
#include "tracer/keeper/os/procfs.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/os/stop.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/vec.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* The timer repeats, so that a tick just before waitpid() is not the last. */
#define TICK_US	      WAIT_QUEUE_TICK_US
#define SHORT_TICK_US 2000 /* while others are served */

static void wake(int sig)
{
	(void)sig;
}

/* A stop in which a system call may wait to go on: no breakpoint, no event of ours. */
static bool may_interrupt(int status)
{
	return WIFSTOPPED(status) &&
	       (status >> 16 == PT_EVENT_STOP ||
		(status >> 16 == PT_EVENT_NONE && WSTOPSIG(status) != SIGTRAP));
}

/*
 * Being traced interrupts calls that nothing would have interrupted. The kernel goes on
 * with some of them by restart_syscall(2), for which a seccomp filter may kill the
 * process: there the call is made again.
 */
static void spare_filter(int tid, int status)
{
	struct procfs_status st;

	if (may_interrupt(status) && pt_call_result(tid) == STOP_RESTART_BLOCK &&
	    procfs_status(tid, &st) == 0 && st.has_seccomp)
		pt_set_call_result(tid, STOP_RESTART_NOHAND);
}

/* waitpid(2). */
static pid_t collect(int tid, int *status, int flags)
{
	pid_t got = waitpid(tid, status, __WALL | flags);

	if (got > 0)
		spare_filter(got, *status);
	return got;
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

struct wait {
	struct wait_queue *queue;
	int tid;
	struct deadline deadline;
	struct patience *patience; /* to be spent, or NULL */
	uint64_t ran_ns;	   /* by the thread until the last look */
	bool takes_back;	   /* hits */
};

/*
 * As waitpid(2): consumes the next stop or end of the thread. A hit is not consumed: if
 * we were killed then, before its pc is moved, the thread would go on inside the
 * instruction. It is taken back, and the stop is the next one.
 */
static pid_t take_next(const struct wait *w, int *status, int flags)
{
	const struct wait_queue_hooks *hooks = &w->queue->hooks;
	siginfo_t info;

	do {
		info.si_pid = 0;
		if (waitid(P_PID, (id_t)w->tid, &info,
			   WEXITED | WSTOPPED | WNOWAIT | __WALL | flags) < 0)
			return -1;
	} while (info.si_pid && w->takes_back && hooks->take_back &&
		 info.si_code == CLD_TRAPPED && info.si_status == SIGTRAP &&
		 hooks->take_back(hooks->ctx, w->tid));
	return info.si_pid ? collect(w->tid, status, WNOHANG) : 0;
}

static bool is_hurried(const struct wait_queue *s)
{
	return s->hurry && !deadline_left(s->hurry);
}

/*
 * The time since the last look that the thread has had. While it is ready to run, only
 * what it ran counts: the machine may be busy. A request does not wait for that.
 */
static uint64_t had_ms(struct wait *w, uint64_t passed_ms)
{
	const struct wait_queue_hooks *hooks = &w->queue->hooks;
	uint64_t now, ms = 0;

	if (hooks->is_asked && hooks->is_asked(hooks->ctx))
		return 2 * passed_ms;
	if (procfs_state(w->tid) != 'R' || procfs_runtime(w->tid, &now) < 0)
		return passed_ms;
	if (w->ran_ns)
		ms = (now - w->ran_ns) / 1000000;
	w->ran_ns = w->ran_ns ? w->ran_ns + ms * 1000000 : now;
	return ms;
}

/* Whether the wait is over without a result. */
static bool is_over(struct wait *w)
{
	uint64_t left = w->deadline.left;
	bool is_past = !deadline_left(&w->deadline) || is_hurried(w->queue);

	if (!w->patience)
		return is_past;
	if (is_past)
		w->patience->is_lost = true;
	if (patience_spend(w->patience, had_ms(w, left - w->deadline.left)))
		return false;
	w->queue->has_lost = true;
	return true;
}

/* True: the thread has stopped meanwhile. */
static bool serve_others(struct wait *w, int *status)
{
	const struct wait_queue_hooks *hooks = &w->queue->hooks;
	int open = w->queue->open;
	bool has_stopped = false;

	if (!hooks->serve_others)
		return false;
	while (!has_stopped && hooks->serve_others(hooks->ctx) && !is_over(w))
		has_stopped = take_next(w, status, WNOHANG) == w->tid;
	w->queue->open = open;
	w->queue->is_slow = true;
	set_timer(SHORT_TICK_US);
	return has_stopped;
}

static int wait_until(struct wait *w, int *status)
{
	for (;;) {
		if (take_next(w, status, 0) == w->tid)
			return 0;
		if (errno != EINTR)
			return STATUS_GONE;
		if (is_dead(w->tid))
			return collect(w->tid, status, WNOHANG) == w->tid ? 0
									  : STATUS_GONE;
		if (serve_others(w, status))
			return 0;
		if (is_over(w))
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

static struct patience *patience_of(const struct wait_queue *s, int tid)
{
	return s->hooks.patience ? s->hooks.patience(s->hooks.ctx, tid) : NULL;
}

/* The end of a thread is for wait_queue_next(). */
static int only_stops(struct wait_queue *s, int tid, int status)
{
	if (WIFSTOPPED(status))
		return 0;
	wait_queue_keep(s, tid, status);
	return STATUS_GONE;
}

static int wait_for(struct wait *w, int *status)
{
	struct patience *patience = patience_of(w->queue, w->tid);
	int result;

	if (take_kept(w->queue, w->tid, status))
		return 0;
	if (patience)
		patience->waits++;
	set_timer(w->queue->is_slow ? SHORT_TICK_US : TICK_US);
	result = wait_until(w, status);
	set_timer(0);
	if (result == 0)
		w->queue->is_slow = false;
	if (patience)
		patience->waits--;
	return result < 0 ? result : only_stops(w->queue, w->tid, *status);
}

int wait_queue_wait_tid(struct wait_queue *s, int tid, unsigned ms, int *status)
{
	struct wait w = {.queue = s,
			 .tid = tid,
			 .deadline = deadline_in(ms),
			 .takes_back = true};

	return wait_for(&w, status);
}

int wait_queue_wait_step(struct wait_queue *s, int tid, int *status)
{
	struct wait w = {.queue = s,
			 .tid = tid,
			 .deadline = deadline_in(WAIT_QUEUE_STUCK_MS),
			 .patience = patience_of(s, tid)};
	int result;

	if (w.patience && w.patience->is_lost)
		return STATUS_GONE;
	result = wait_for(&w, status);
	return result == STATUS_BUSY ? STATUS_GONE : result;
}

void wait_queue_spend(struct wait_queue *s, int tid, uint64_t ms)
{
	struct patience *patience = patience_of(s, tid);

	if (patience && !patience_spend(patience, ms))
		s->has_lost = true;
}

bool wait_queue_is_lost(const struct wait_queue *s, int tid)
{
	const struct patience *patience = patience_of(s, tid);

	return patience && patience->is_lost;
}

/* Of a stop that is left open, as waitpid(2) has it. */
#define OPEN_STATUS (SIGTRAP << 8 | 0x7f)

/* Takes the stop or end that a look has shown: its thread, or 0 when it has gone. */
static int take_seen(struct wait_queue *s, const siginfo_t *info, int *status)
{
	pid_t tid;

	if (info->si_code == CLD_TRAPPED && info->si_status == SIGTRAP) {
		s->open = info->si_pid;
		*status = OPEN_STATUS;
		return s->open;
	}
	if (info->si_code != CLD_TRAPPED && info->si_code != CLD_STOPPED)
		s->ended = (struct wait_queue_ended){info->si_pid,
						     clock_process_ns(info->si_pid)};
	tid = collect(info->si_pid, status, WNOHANG);
	return tid > 0 ? tid : 0;
}

bool wait_queue_poll(struct wait_queue *s, int tid, int *status)
{
	siginfo_t info = {0};

	s->open = 0;
	if (take_kept(s, tid, status))
		return true;
	if (waitid(P_PID, (id_t)tid, &info,
		   WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD) < 0 ||
	    !info.si_pid)
		return false;
	return take_seen(s, &info, status) != 0;
}

int wait_queue_look(int tid)
{
	siginfo_t info = {0};

	if (waitid(P_PID, (id_t)tid, &info, WSTOPPED | WNOHANG | WNOWAIT | __WALL) <
		    0 ||
	    info.si_code != CLD_TRAPPED)
		return 0;
	return info.si_status << 8 | 0x7f;
}

void wait_queue_tick(long us)
{
	set_timer(us);
}

void wait_queue_close(struct wait_queue *s)
{
	int status;

	/* Another one than was open: the thread has been killed meanwhile. */
	if (s->open && collect(s->open, &status, WNOHANG) == s->open &&
	    status != OPEN_STATUS)
		wait_queue_keep(s, s->open, status);
	s->open = 0;
}

/*
 * 0, or -1 with errno. Each hit comes through here: the function of the C library is a
 * point of cancellation, which is a detour.
 */
static int look(siginfo_t *info)
{
	info->si_pid = 0;
	return (int)syscall(SYS_waitid, P_ALL, 0, info,
			    WEXITED | WSTOPPED | WNOWAIT | __WALL | __WNOTHREAD, NULL);
}

int wait_queue_next(struct wait_queue *s, int *status)
{
	siginfo_t info;

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
	return take_seen(s, &info, status);
}
