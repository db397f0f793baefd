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
#include "tracer/keeper/threads/core.h"
#include "tracer/keeper/threads/detach.h"
#include "tracer/keeper/threads/handle.h"
#include "tracer/keeper/request.h"
#include "tracer/keeper/threads/stranded.h"
#include "tracer/keeper/threads/trust_domain.h"
#include "vm/base/host/helper.h"

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

struct watcher {
	pthread_t main;
	int link, front; /* socket, pidfd */
	int timer;	 /* of the profile probes */
	atomic_bool wanted, front_gone, is_over;
	atomic_int period; /* in ms; -1: no timed work (trust_domain.h) */
	sem_t served;
	sem_t work; /* posted with wanted: main sleeps on it when nothing is traced */
};

static void wait_served(struct watcher *w)
{
	while (atomic_load(&w->wanted) && !atomic_load(&w->is_over)) {
		struct timespec until;

		pthread_kill(w->main, WAIT_QUEUE_WAKE);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += REPEAT_NS;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		if (sem_timedwait(&w->served, &until) == 0)
			return;
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
			return NULL;
	}
}

/* The watcher blocks all signals: they are for the main thread. */
static int start(struct watcher *w, pthread_t *thread, struct err *e)
{
	sigset_t all, old;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(thread, NULL, watch, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!error)
		return 0;
	errno = error;
	return err_errno(e, STATUS_NOMEM, "cannot start a thread");
}

static void serve(struct keeper *k, struct watcher *w)
{
	while (sem_trywait(&w->work) == 0)
		;
	request_serve(k);
	stranded_recover(k);
	sampler_turn(&k->sampler, &k->tasks, k->link);
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

static void run(struct keeper *k, struct watcher *w)
{
	while (!k->is_over) {
		int status, tid;

		if (atomic_load_explicit(&w->wanted, memory_order_acquire))
			serve(k, w);
		if (k->is_over)
			break;
		tid = wait_queue_next(&k->waits, &status);
		if (tid)
			handle(k, tid, status);
		stranded_recover(k);
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
	if (k->tasks.processes || helpers_lost())
		close_output();
	/* Threads asleep in the kernel are detached at their next stop. */
	while (k->tasks.processes) {
		int tid = wait_queue_next(&k->waits, &status);

		if (tid)
			handle(k, tid, status);
		stranded_recover(k);
		if (!tid && !k->waits.has_tracees)
			break;
	}
	while (k->tasks.processes)
		process_remove(&k->tasks, k->tasks.processes);
	tasks_forget_recent(&k->tasks);
	sampler_release(&k->sampler);
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
	struct keeper k = {.link = link,
			   .siteless = {.program = &k.program,
					.sampler = &k.sampler,
					.tasks = &k.tasks,
					.waits = &k.waits}};
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
