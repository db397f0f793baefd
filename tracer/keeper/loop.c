/* SPDX-License-Identifier: MIT */
/*
 * The main thread sleeps in waitpid, which is the fastest way to learn of a stop. A
 * second thread, the watcher, polls the socket, the front's pidfd and the timer, and
 * wakes the main thread by a signal. The main thread alone is the tracer and does all
 * work.
 *
 *	watcher: poll --> wanted = true --> tgkill(main) --> wait until served
 *	main:    waitpid -> EINTR, or a stop --> wanted? serve --> served
 *
 * A signal that arrives just before waitpid() begins would be lost, so the
 * watcher repeats it until it is served.
 */
#include "tracer/keeper/loop.h"
#include "tracer/keeper/copies/process_copy.h"
#include "tracer/keeper/threads/abandon.h"
#include "tracer/keeper/threads/child.h"
#include "tracer/keeper/threads/core.h"
#include "tracer/keeper/threads/detach.h"
#include "tracer/keeper/threads/handle.h"
#include "tracer/keeper/request.h"
#include "tracer/keeper/threads/stranded.h"
#include "tracer/keeper/threads/trust_domain.h"
#include "tracer/keeper/python/words.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/helper.h"
#include "vm/base/host/background.h"
#include "vm/base/host/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define REPEAT_NS 2000000
#define LAST_MS	  3500 /* from the end of the front to that of the keeper, */
#define LATE_MS	  2000 /* of which so much for threads that did not stop at first */
#define KILL_MS	  500  /* more, when the main thread sleeps in the kernel */

struct tids {
	int *data;
	size_t len, cap;
};

struct watcher {
	pthread_t main;
	int link, front; /* socket, pidfd */
	int timer;	 /* of the profile probes */
	atomic_bool wanted, front_gone, is_over;
	atomic_int period; /* in ms; -1: no timed work (trust_domain.h) */
	sem_t served;
	sem_t work; /* posted with wanted: main sleeps on it when nothing is traced */
};

/* True when main has posted it. */
static bool wait_repeat(struct watcher *w)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += REPEAT_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	return sem_timedwait(&w->served, &until) == 0;
}

static void wait_served(struct watcher *w)
{
	while (atomic_load(&w->wanted) && !atomic_load(&w->is_over)) {
		pthread_kill(w->main, WAIT_QUEUE_WAKE);
		if (wait_repeat(w))
			return;
	}
}

/*
 * Memory of a target may still put the main thread to sleep (procmem.h). The kernel then
 * detaches all targets.
 */
static void end_in_time(struct watcher *w)
{
	struct deadline end = deadline_in(LAST_MS + KILL_MS);

	while (!atomic_load(&w->is_over)) {
		if (!deadline_left(&end))
			_exit(1);
		wait_repeat(w);
	}
}

static void *watch(void *arg)
{
	struct watcher *w = arg;
	struct pollfd fds[3] = {
		{w->link, POLLIN, 0}, {w->front, POLLIN, 0}, {w->timer, POLLIN, 0}};

	for (;;) {
		/* Posts that came too late for the last round. */
		while (sem_trywait(&w->served) == 0)
			;
		if (poll(fds, 3, atomic_load(&w->period)) < 0)
			continue;
		if (fds[1].revents || (fds[0].revents & (POLLHUP | POLLERR)))
			atomic_store(&w->front_gone, true);
		atomic_store(&w->wanted, true);
		sem_post(&w->work);
		wait_served(w);
		if (atomic_load(&w->front_gone) || atomic_load(&w->is_over))
			break;
	}
	end_in_time(w);
	return NULL;
}

static int start(struct watcher *w, pthread_t *thread, struct err *e)
{
	errno = thread_start(thread, THREAD_STACK, watch, w);
	if (!errno)
		return 0;
	return err_errno(e, STATUS_NOMEM, "cannot start a thread");
}

static void recover(struct keeper *k)
{
	abandon_lost(k);
	stranded_recover(k);
}

static void serve(struct keeper *k, struct watcher *w)
{
	while (sem_trywait(&w->work) == 0)
		;
	request_serve(k);
	recover(k);
	sampler_turn(&k->sampler, &k->tasks);
	trust_domain_turn(k);
	atomic_store(&w->period, trust_domain_period(k));
	if (atomic_load(&w->front_gone))
		k->is_over = true;
	atomic_store(&w->wanted, false);
	sem_post(&w->served);
}

/* The stop of a thread that is held stays consumed: it is not reported again. */
static void handle(struct keeper *k, int tid, int status)
{
	const struct task *task;

	handle_stop(k, tid, status);
	task = k->waits.open ? task_find(&k->tasks, k->waits.open) : NULL;
	if (task && task->state == TASK_HELD)
		wait_queue_close(&k->waits);
}

static struct patience *patience_with(void *ctx, int tid)
{
	const struct keeper *k = ctx;
	const struct task *task = task_find(&k->tasks, tid);

	return task && task->process ? &task->process->space->patience : NULL;
}

static bool take_back(void *ctx, int tid)
{
	const struct keeper *k = ctx;
	const struct task *task = task_find(&k->tasks, tid);
	const struct bpt_site *site;
	siginfo_t info;
	taddr pc;

	if (!task || !task->process || pt_pc(tid, &pc) < 0)
		return false;
	site = bpt_find(&task->process->space->bpts, taddr_add(pc, -1));
	return site && site->is_set && pt_siginfo(tid, &info) == 0 &&
	       info.si_code == SI_KERNEL && pt_set_pc(tid, site->in.addr) == 0 &&
	       pt_interrupt(tid) == 0 && pt_cont(tid, 0) == 0;
}

/* The tids of threads that no wait under way concerns. */
static void list_others(const struct keeper *k, struct tids *tids)
{
	for (const struct process *p = k->tasks.processes; p; p = p->next) {
		if (p->space->patience.waits)
			continue;
		for (const struct task *t = p->tasks; t; t = t->next)
			if (t->state != TASK_HELD)
				*vec_push(tids) = t->tid;
	}
}

/*
 * While the keeper waits for a thread of one address space, those of others are served. A
 * stop that is handled here may wait itself, for its own space, and serve what is left.
 */
static bool serve_others(void *ctx)
{
	struct keeper *k = ctx;
	struct tids tids = {0};
	bool is_any = false;

	list_others(k, &tids);
	for (size_t i = 0; i < tids.len; i++) {
		const struct task *t = task_find(&k->tasks, tids.data[i]);
		int status;

		if (!t || !t->process || t->process->space->patience.waits ||
		    !wait_queue_poll(&k->waits, tids.data[i], &status))
			continue;
		handle(k, tids.data[i], status);
		is_any = true;
	}
	vec_release(&tids);
	return is_any;
}

/* By a request, or by the end of the front. */
static bool is_asked(void *ctx)
{
	const struct keeper *k = ctx;
	struct pollfd p = {k->link, POLLIN, 0};

	return poll(&p, 1, 0) != 0;
}

#define TURN_EVERY  16 /* stops */
#define TURN_PLACES 64
#define TURN_LOOKS  4

/*
 * The kernel looks for stops in the order of its list: where many threads stop again at
 * once, it would never be the turn of the last ones. So a thread is asked for by itself
 * now and then; where there are two, one of them. The thread, or 0.
 */
static int stop_in_turn(struct keeper *k, int *status)
{
	uint64_t most = min_u64(TURN_LOOKS, k->tasks.by_tid.len / 2), looks = 0;

	for (int i = 0; i < TURN_PLACES && looks < most; i++) {
		const struct task *task = tasks_turn(&k->tasks);
		int tid = task ? task->tid : 0;

		if (!tid)
			continue;
		looks++;
		if (wait_queue_poll(&k->waits, tid, status))
			return tid;
	}
	return 0;
}

static int next_stop(struct keeper *k, int *status)
{
	int tid = ++k->nstops % TURN_EVERY ? 0 : stop_in_turn(k, status);

	return tid ? tid : wait_queue_next(&k->waits, status);
}

#define EARLY_NS 100000000 /* the event that tells of a new process mostly follows */

/*
 * A thread that was killed tells of no child. While there is a child that nothing tells
 * of, this looks now and then, and when nothing else is to be done.
 */
static void adopt(struct keeper *k, bool is_idle)
{
	uint64_t now = clock_now_ns();

	if (!is_idle && now - k->early_ns < EARLY_NS)
		return;
	k->early_ns = now;
	child_adopt_orphans(k, true);
}

#define ROOM_TICK_US 1000 /* between two looks for room that threads wait for */

/* How soon the loop has to go on without a stop, in us; 0: not at all. */
static long tick_of(struct keeper *k)
{
	if (room_turn(&k->room))
		return ROOM_TICK_US;
	return k->tasks.early ? WAIT_QUEUE_TICK_US : 0;
}

static void run(struct keeper *k, struct watcher *w)
{
	bool has_early, is_ticking = false;
	long tick;

	while (!k->is_over) {
		int status, tid;

		if (atomic_load_explicit(&w->wanted, memory_order_acquire))
			serve(k, w);
		if (k->is_over)
			break;
		has_early = k->tasks.early != NULL;
		tick = tick_of(k);
		if (tick || is_ticking)
			wait_queue_tick(tick);
		is_ticking = tick != 0;
		tid = next_stop(k, &status);
		if (tid)
			handle(k, tid, status);
		if (has_early)
			adopt(k, !tid);
		recover(k);
		trust_domain_turn(k);
		if (!tid && !k->waits.has_tracees)
			sem_wait(&w->work); /* ended by work or by its signal */
	}
}

/*
 * A reader of what dtrace wrote must not wait for a keeper that stays for a while, or for
 * a thread of it that sleeps for ever.
 */
static void close_output(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = STDIN_FILENO; fd >= 0 && i <= STDERR_FILENO; i++)
		dup2(fd, i);
	if (fd > STDERR_FILENO)
		close(fd);
}

static void finish(struct keeper *k)
{
	int status;

	detach_all(k);
	abandon_lost(k);
	if (k->tasks.processes || helpers_lost())
		close_output();
	/*
	 * Threads asleep in the kernel are detached at their next stop, or by our end. No
	 * one waits for us now.
	 */
	k->hurry = deadline_in(LATE_MS);
	k->waits.hooks.is_asked = NULL;
	while (k->tasks.processes && deadline_left(&k->hurry)) {
		int tid;

		wait_queue_tick(WAIT_QUEUE_TICK_US);
		tid = wait_queue_next(&k->waits, &status);
		if (tid)
			handle(k, tid, status);
		recover(k);
		if (!tid && !k->waits.has_tracees)
			break;
	}
	while (k->tasks.processes)
		process_remove(&k->tasks, k->tasks.processes);
	while (k->tasks.early)
		task_remove(&k->tasks, k->tasks.early);
	tasks_forget_recent(&k->tasks);
	process_copy_release(k);
	sampler_release(&k->sampler);
	python_words_close(k->program.python_words);
	keeper_program_release(&k->program);
	credentials_release(&k->domain.of);
	wait_queue_release(&k->waits);
	map_release(&k->tasks.by_pid);
	map_release(&k->tasks.by_tid);
}

/* Its poll() ends with the socket. */
static void stop_watching(struct watcher *w, pthread_t thread)
{
	atomic_store(&w->is_over, true);
	shutdown(w->link, SHUT_RDWR);
	sem_post(&w->served);
	pthread_join(thread, NULL);
	close(w->front);
	sem_destroy(&w->served);
	sem_destroy(&w->work);
}

int loop_run(int link, int front, struct err *e)
{
	struct keeper k = {
		.link = link,
		.siteless = {.program = &k.program,
			     .sampler = &k.sampler,
			     .tasks = &k.tasks,
			     .waits = &k.waits},
		.room = {.program = &k.program, .tasks = &k.tasks, .waits = &k.waits}};
	struct watcher w = {.main = pthread_self(), .link = link, .period = -1};
	pthread_t thread;
	int status;

	w.front = (int)syscall(SYS_pidfd_open, front, 0);
	if (w.front < 0)
		return err_errno(e, STATUS_GONE, "cannot watch process %d", front);
	if (sampler_init(&k.sampler) < 0)
		return err_errno(e, STATUS_IO, "cannot make a timer");
	w.timer = k.sampler.timer;
	sem_init(&w.served, 0, 0);
	sem_init(&w.work, 0, 0);
	if (wait_queue_init(&k.waits) < 0)
		return err_errno(e, STATUS_IO, "cannot install signal handlers");
	k.copy_process = process_copy_make;
	k.waits.hooks = (struct wait_queue_hooks){.ctx = &k,
						  .patience = patience_with,
						  .serve_others = serve_others,
						  .take_back = take_back,
						  .is_asked = is_asked};
	cpu_init(&k.cpu);
	pt_note_failures(&k.failures);
	status = start(&w, &thread, e);
	if (status < 0)
		return status;
	run(&k, &w);
	finish(&k);
	pt_note_failures(NULL);
	stop_watching(&w, thread);
	return 0;
}
