/* SPDX-License-Identifier: MIT */
/*
 * A crowd under load: argv[2] (64) threads that call work(), fork children which call it
 * too, have children execute this program, open and close the library argv[1] and send
 * each other signals. On SIGUSR1 it prints "calls N signals N loads N good N bad N": its
 * own counts, and how many of its children ended as they should or not. Ends on SIGTERM
 * with 6.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../truth.h"

#define MOST_THREADS 256
#define BATCH	     50
#define EXECUTED     23

static unsigned long n_work, n_on_signal, loads, good, bad;
static pthread_t threads[MOST_THREADS];
static int nthreads;
static const char *library, *self;
static pthread_barrier_t begun;

KEEP long work(long v)
{
	hit(&n_work);
	return v * 3 + 1;
}

KEEP void on_signal(int sig)
{
	(void)sig;
	hit(&n_on_signal);
}

static void pause_for(long us)
{
	const struct timespec ts = {0, us * 1000};

	nanosleep(&ts, NULL);
}

static void reap(pid_t pid, int wanted)
{
	int status = -1;

	if (pid < 0)
		return;
	while (waitpid(pid, &status, 0) < 0)
		;
	hit(WIFEXITED(status) && WEXITSTATUS(status) == wanted ? &good : &bad);
}

static void fork_one(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(work(2) == 7 ? 17 : 1);
	reap(pid, 17);
}

static void execute_one(int shares)
{
	pid_t pid = shares ? vfork() : fork();

	if (pid == 0) {
		execl(self, self, "child", (char *)NULL);
		_exit(1);
	}
	reap(pid, EXECUTED);
}

static void load_one(void)
{
	void *lib = dlopen(library, RTLD_NOW);
	long (*plugged)(long) = lib ? (long (*)(long))dlsym(lib, "plugged") : NULL;

	if (plugged && plugged(3) == 15)
		hit(&loads);
	if (lib)
		dlclose(lib);
}

/* What the thread number n does beside calling work(). */
static void vary(int n, unsigned turn)
{
	if (turn % 64 != (unsigned)n % 64)
		return;
	switch (n % 8) {
	case 0:
		fork_one();
		break;
	case 1:
		execute_one(0);
		break;
	case 2:
		execute_one(1);
		break;
	case 3:
	case 4:
		load_one();
		break;
	default:
		pthread_kill(
			threads[(unsigned)(n * 7 + (int)turn) % (unsigned)nthreads],
			SIGUSR2);
	}
}

static void *worker(void *arg)
{
	const int n = (int)(long)arg;
	volatile long v = 0;

	pthread_barrier_wait(&begun);
	for (unsigned turn = 0;; turn++) {
		for (int i = 0; i < BATCH; i++)
			v = work(v);
		vary(n, turn);
		pause_for(500 + 20 * n);
	}
	return NULL;
}

static void start(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	sa.sa_flags = SA_RESTART;
	sigaction(SIGUSR2, &sa, NULL);
	pthread_barrier_init(&begun, NULL, (unsigned)nthreads + 1);
	for (long i = 0; i < nthreads; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	pthread_barrier_wait(&begun);
}

static unsigned long now(const unsigned long *count)
{
	return __atomic_load_n(count, __ATOMIC_RELAXED);
}

int main(int argc, char **argv)
{
	sigset_t set;
	int sig;

	if (argc < 2)
		return 1;
	if (strcmp(argv[1], "child") == 0)
		return work(1) == 4 ? EXECUTED : 1;
	self = argv[0];
	library = argv[1];
	nthreads = argc > 2 ? atoi(argv[2]) : 64;
	if (nthreads < 1 || nthreads > MOST_THREADS)
		return 1;
	/* The main thread only answers. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	start();
	while (sigwait(&set, &sig) == 0 && sig == SIGUSR1) {
		printf("calls %lu signals %lu loads %lu good %lu bad %lu\n",
		       now(&n_work), now(&n_on_signal), now(&loads), now(&good),
		       now(&bad));
		fflush(stdout);
	}
	_exit(6);
}
