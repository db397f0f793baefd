/* SPDX-License-Identifier: MIT */
#include "tracer/base/patience.h"
#include "vm/base/host/clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PULSE_NS  100000000L
#define JOIN_NS	  UINT64_C(50000000) /* between waits that are one */
#define KEEPER_NS UINT64_C(2000000000)

/* What is atomic is for handlers and other threads, the rest for the one that waits. */
static struct {
	_Atomic uint64_t ended;	   /* when the end began; 0: it has not */
	_Atomic uint64_t deadline; /* patience_end_at() */
	atomic_uint late;	   /* signals at least PATIENCE_NS after that */
	atomic_bool is_waiting;
	_Atomic enum awaited awaited;
	uint64_t began; /* the present wait */
	unsigned since; /* of it */
	struct {
		enum awaited awaited;
		uint64_t began, ended;
	} last;
	atomic_uint given_up; /* bits: 1 << enum awaited */
	pthread_t thread;     /* that of patience_open() */
	timer_t timer;
	bool has_thread, has_timer;
	bool (*release)(void *ctx); /* NULL: it was called */
	void *ctx;
} now = {.deadline = UINT64_MAX};

/* Others look for themselves whether they are given up. */
static bool sleeps(enum awaited a)
{
	return a != AWAITED_NOTHING && a != AWAITED_SYMBOLS;
}

/*
 * A signal may come just before the thread sleeps in the call that it is to wake. So it
 * is woken again and again.
 */
static void set_timer(void)
{
	const struct itimerspec once = {.it_value.tv_nsec = PULSE_NS};

	if (now.has_timer)
		timer_settime(now.timer, 0, &once, NULL);
}

static void on_timer(int sig)
{
	(void)sig;
	if (clock_now_ns() >= atomic_load(&now.deadline))
		patience_begin_end();
	if (atomic_load(&now.is_waiting))
		set_timer();
}

/* A signal of its own: SIGALRM may come from elsewhere, and ends dtrace then. */
void patience_open(bool (*release)(void *ctx), void *ctx)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
				 .sigev_signo = SIGRTMIN};
	const struct sigaction action = {.sa_handler = on_timer};
	sigset_t set;

	now.release = release;
	now.ctx = ctx;
	now.thread = pthread_self();
	now.has_thread = true;
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	sigaction(SIGRTMIN, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	now.has_timer = timer_create(CLOCK_MONOTONIC, &event, &now.timer) == 0;
}

void patience_signal(void)
{
	uint64_t ended = 0, t = clock_now_ns();

	if (!atomic_compare_exchange_strong(&now.ended, &ended, t) &&
	    t - ended >= PATIENCE_NS)
		atomic_fetch_add(&now.late, 1);
	if (atomic_load(&now.is_waiting))
		set_timer();
}

void patience_begin_end(void)
{
	uint64_t none = 0;

	atomic_compare_exchange_strong(&now.ended, &none, clock_now_ns());
}

bool patience_has_begun_end(void)
{
	return atomic_load(&now.ended);
}

void patience_end_at(uint64_t time)
{
	const struct itimerspec once = {
		.it_value = {(time_t)(time / 1000000000), (long)(time % 1000000000)}};

	atomic_store(&now.deadline, time);
	/* a signal that came before has begun the end: its timer stays */
	if (now.has_timer && !atomic_load(&now.ended))
		timer_settime(now.timer, TIMER_ABSTIME, &once, NULL);
}

struct patience_wait patience_begin(enum awaited a)
{
	struct patience_wait outer = {atomic_load(&now.awaited), now.began, now.since};
	uint64_t t = clock_now_ns();
	bool goes_on = now.last.awaited == a && t - now.last.ended < JOIN_NS;

	now.began = goes_on ? now.last.began : t;
	now.since = atomic_load(&now.late);
	atomic_store(&now.awaited, a);
	if (sleeps(a)) {
		atomic_store(&now.is_waiting, true);
		if (atomic_load(&now.ended))
			set_timer();
	}
	return outer;
}

void patience_end(struct patience_wait outer)
{
	if (sleeps(atomic_load(&now.awaited)) != sleeps(outer.awaited))
		atomic_store(&now.is_waiting, sleeps(outer.awaited));
	now.last.awaited = atomic_load(&now.awaited);
	now.last.began = now.began;
	now.last.ended = clock_now_ns();
	atomic_store(&now.awaited, outer.awaited);
	now.began = outer.began;
	now.since = outer.since;
}

static void release_waiting(void)
{
	bool (*release)(void *ctx) = now.release;

	if (!release || !atomic_load(&now.ended))
		return;
	now.release = NULL; /* it may wait itself */
	if (!release(now.ctx))
		now.release = release;
}

/* What the keeper does may take long if there is much of it. */
static uint64_t least_wait(enum awaited a)
{
	return a == AWAITED_TARGETS ? KEEPER_NS : PATIENCE_NS;
}

static bool is_own_thread(void)
{
	return now.has_thread && pthread_equal(now.thread, pthread_self());
}

bool patience_is_over(void)
{
	enum awaited a = atomic_load(&now.awaited);

	if (!is_own_thread())
		return patience_gave_up(a);
	release_waiting();
	if (a != AWAITED_NOTHING && atomic_load(&now.late) != now.since &&
	    clock_now_ns() - now.began >= least_wait(a))
		atomic_fetch_or(&now.given_up, 1u << a);
	return patience_gave_up(a);
}

bool patience_awaits(enum awaited a)
{
	return atomic_load(&now.awaited) == a;
}

bool patience_gave_up(enum awaited a)
{
	return atomic_load(&now.given_up) & 1u << a;
}

bool patience_describe(struct strbuf *text)
{
	static const char *const texts[NAWAITED] = {
#define AWAITED(name, text) [AWAITED_##name] = (text),
#include "tracer/base/awaited.def"
#undef AWAITED
	};
	size_t before = text->len;

	for (int i = 0; i < NAWAITED; i++)
		if (texts[i] && patience_gave_up((enum awaited)i))
			strbuf_printf(text, "%s%s", text->len > before ? ", " : "",
				      texts[i]);
	return text->len > before;
}
