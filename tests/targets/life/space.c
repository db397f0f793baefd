/* SPDX-License-Identifier: MIT */
/*
 * A program that minds its address space. It makes the file argv[2], waits until that is
 * gone, and then does what argv[1] says:
 *
 *	locked		keeps all that it maps in memory, from the start
 *	locks		the same from now on
 *	limits		may have 200 MB of addresses more than it has now
 *	nothing		none of these
 *	fills		maps 64 GB, in pieces
 *	blocks		each thread blocks SIGTRAP, and unblocks it at its end
 *	takes		maps a page behind each mapping of the tracer's, which cannot grow then
 *
 * THREADS threads, half of the others' at a time, call work() for TURNS values each; its
 * argument says the thread and the turn. It prints "calls N", "size N" and "locked N" (MB
 * of its addresses, and of its locked memory at the end) and "signals N": how many threads
 * got a SIGTRAP of their own, once, in the handler of this program.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../truth.h"

#define THREADS 24
#define AT_ONCE 12
#define TURNS	6000
#define STACK	(256 << 10)
#define MB	(1L << 20)

static bool blocks;
static _Atomic int good_signals;

KEEP long work(long v)
{
	return v * 3 + 1;
}

/* Of /proc/self/status, in kB. */
static long status_of(const char *name)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	long n = -1;

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, name, strlen(name)) == 0)
			n = atol(line + strlen(name));
	if (f)
		fclose(f);
	return n;
}

static _Thread_local volatile sig_atomic_t traps;

static void on_trap(int sig)
{
	(void)sig;
	traps++;
}

static void *thread(void *arg)
{
	volatile long v = 1;
	sigset_t trap;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	if (blocks)
		pthread_sigmask(SIG_BLOCK, &trap, NULL);
	for (long i = 0; i < TURNS; i++)
		v = work((long)(intptr_t)arg * TURNS + i);
	(void)v;
	pthread_sigmask(SIG_UNBLOCK, &trap, NULL);
	raise(SIGTRAP);
	good_signals += traps == 1;
	return NULL;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void run_threads(void)
{
	pthread_t all[AT_ONCE];
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK);
	for (int n = 0; n < THREADS; n += AT_ONCE) {
		for (int i = 0; i < AT_ONCE; i++)
			if (pthread_create(&all[i], &small, thread,
					   (void *)(intptr_t)(n + i)))
				fail("pthread_create");
		for (int i = 0; i < AT_ONCE; i++)
			pthread_join(all[i], NULL);
	}
}

static void limit(void)
{
	uint64_t bytes = (uint64_t)status_of("VmSize:") * 1024 + 200 * MB;
	const struct rlimit r = {bytes, bytes};

	if (setrlimit(RLIMIT_AS, &r))
		fail("setrlimit");
}

static void lock(void)
{
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		fail("mlockall");
}

/* A page behind each mapping of the tracer's that is shared memory. */
static void take(void)
{
	unsigned long ends[256], lo, hi;
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	int n = 0;

	while (f && n < 256 && fgets(line, sizeof(line), f))
		if (strstr(line, "memfd:fpid") &&
		    sscanf(line, "%lx-%lx", &lo, &hi) == 2)
			ends[n++] = hi;
	if (f)
		fclose(f);
	for (int i = 0; i < n; i++)
		mmap((void *)ends[i], 4096, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

/* The kernel looks for room from the libraries down: that is used up so far. */
static void fill(void)
{
	for (int i = 0; i < 256; i++)
		if (mmap(NULL, 256 * MB, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			 0) == MAP_FAILED)
			fail("mmap");
}

static void wait_for(const char *file)
{
	const struct timespec nap = {0, 5000000};
	struct stat st;

	close(open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	while (stat(file, &st) == 0)
		nanosleep(&nap, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	void *block;

	signal(SIGTRAP, on_trap);
	blocks = strcmp(what, "blocks") == 0;
	if (strcmp(what, "locked") == 0)
		lock();
	if (argc > 2)
		wait_for(argv[2]);
	if (strcmp(what, "locks") == 0)
		lock();
	else if (strcmp(what, "limits") == 0)
		limit();
	else if (strcmp(what, "takes") == 0)
		take();
	else if (strcmp(what, "fills") == 0)
		fill();
	block = malloc(64 * MB);
	if (!block)
		fail("malloc");
	memset(block, 1, MB);
	run_threads();
	free(block);
	printf("calls %d\nsize %ld\nlocked %ld\nsignals %d\n", THREADS * TURNS,
	       status_of("VmSize:") / 1024, status_of("VmLck:") / 1024, good_signals);
	return 0;
}
