/* SPDX-License-Identifier: MIT */
/*
 * Threads that do nothing but call functions, and check what they get: an instruction that
 * is left out, or run twice, makes a sum wrong (status 9), or crashes.
 *
 *	hot THREADS [blocked | ignored | handled]
 *
 * blocked: its threads block all signals but SIGTERM. ignored: it ignores SIGTRAP.
 * handled: it has a handler for it, raises it and runs an int3 of its own, and counts.
 * SIGTERM ends it: it prints "ok ROUNDS". SIGUSR1 makes it protect a page and fork a
 * child, which checks a sum too. Then it prints what its USDT probe's semaphore is.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../notes.h"

#ifdef __clang__
#define NOIPA __attribute__((noinline))
#else
#define NOIPA __attribute__((noipa))
#endif
#define THREADS_MAX 64

static volatile sig_atomic_t is_over, is_asked;
static uint64_t rounds[THREADS_MAX];
static volatile sig_atomic_t traps;

NOIPA static uint64_t leaf(uint64_t a, uint64_t b)
{
	/* hot:::leaf, with a semaphore and arg0 */
	__asm__ volatile("990:	nop\n"
			 ".pushsection .note.stapsdt, \"\", \"note\"\n"
			 ".balign 4\n"
			 ".4byte 992f - 991f, 994f - 993f, 3\n"
			 "991: .asciz \"stapsdt\"\n"
			 "992: .balign 4\n"
			 "993: .8byte 990b, base_of_notes, guarded_semaphore\n"
			 ".asciz \"hot\"\n"
			 ".asciz \"leaf\"\n"
			 ".asciz \"8@%0\"\n"
			 "994: .balign 4\n"
			 ".popsection\n"
			 : "+r"(a));
	return a * 31 + b; /* the line that is traced */
}

/* It begins with a push. */
NOIPA static uint64_t caller(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 3; i++)
		sum += leaf(n + i, sum);
	return sum;
}

NOIPA static uint64_t deep(uint64_t n)
{
	return n ? n + deep(n - 1) + 0 * leaf(n, n) : 0;
}

static void must_be(uint64_t found, uint64_t right)
{
	static const char text[] = "a sum is wrong\n";

	if (found == right)
		return;
	if (write(2, text, sizeof(text) - 1) < 0)
		_exit(8);
	_exit(9);
}

static void check_all(uint64_t n)
{
	uint64_t sum = 0, small = n % 9;

	for (uint64_t i = 0; i < 3; i++)
		sum += (n + i) * 31 + sum;
	must_be(caller(n), sum);
	must_be(leaf(n, 7), n * 31 + 7);
	must_be(deep(small), small * (small + 1) / 2);
}

static void *run(void *arg)
{
	uint64_t *mine = arg;

	while (!is_over)
		check_all((*mine)++);
	return NULL;
}

static void on_term(int sig)
{
	(void)sig;
	is_over = 1;
}

static void on_usr1(int sig)
{
	(void)sig;
	is_asked = 1;
}

static void on_trap(int sig)
{
	(void)sig;
	traps++;
}

static void make_child(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		for (uint64_t i = 0; i < 100; i++)
			check_all(i);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
		must_be(1, 0);
}

/* What a program does now and then. */
static void serve(char *page, int is_handled)
{
	sig_atomic_t before = traps;

	mprotect(page, 4096, PROT_READ);
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
	make_child();
	if (is_handled) {
		raise(SIGTRAP);
		__asm__ volatile("int3");
		must_be((uint64_t)(traps - before), 2);
	}
	printf("served semaphore %u\n", guarded_semaphore);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	int n = argc > 1 ? atoi(argv[1]) : 1, is_handled = !strcmp(how, "handled");
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t threads[THREADS_MAX];
	uint64_t sum = 0;
	sigset_t set;

	signal(SIGTERM, on_term);
	signal(SIGUSR1, on_usr1);
	if (!strcmp(how, "ignored"))
		signal(SIGTRAP, SIG_IGN);
	if (is_handled)
		signal(SIGTRAP, on_trap);
	sigfillset(&set);
	sigdelset(&set, SIGTERM);
	if (strcmp(how, "blocked"))
		sigdelset(&set, SIGTRAP);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, run, &rounds[i]);
	sigdelset(&set, SIGUSR1);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	printf("ready\n");
	fflush(stdout);
	while (!is_over) {
		if (is_asked) {
			is_asked = 0;
			serve(page, is_handled);
		}
		check_all(7);
		usleep(1000);
	}
	for (int i = 0; i < n; i++) {
		pthread_join(threads[i], NULL);
		must_be(rounds[i] > 0, 1);
		sum += rounds[i];
	}
	printf("ok %llu\n", (unsigned long long)sum);
	return 0;
}
