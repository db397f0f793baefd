// SPDX-License-Identifier: MIT
// Every way to leave frames without a return: exceptions past C++ and C frames, caught in
// the same function, thrown while another one is on its way, rethrown; longjmp() past many
// frames and out of signal handlers, on another stack too; the end of threads by
// pthread_exit() and pthread_cancel(). All frames are left when it ends but main's.
#include <exception>
#include <stdexcept>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "../truth.h"

#define COUNTED(name) static unsigned long n_##name, returned_##name

extern "C" int c_frame(int (*f)(int), int i, unsigned long *calls,
		       unsigned long *returned);

COUNTED(thrower);
COUNTED(tidy);
COUNTED(within);
COUNTED(quarrel);
COUNTED(pass);
COUNTED(same);
COUNTED(tail);
COUNTED(deeper);
COUNTED(plunge);
COUNTED(compare);
COUNTED(c_frame);
COUNTED(handler);
COUNTED(interrupted);
COUNTED(ender);
COUNTED(last);
COUNTED(sleeper);

// ---- exceptions ----

extern "C" KEEP int thrower(int i)
{
	hit(&n_thrower);
	if (i % 3 == 0)
		throw std::runtime_error("third");
	if (i % 3 == 1)
		throw i;
	hit(&returned_thrower);
	return i;
}

// catches what it throws itself: its own frame stays
extern "C" KEEP int same(int i)
{
	hit(&n_same);
	try {
		if (i % 2)
			throw i;
		thrower(i);
	} catch (int v) {
		i = v;
	} catch (const std::exception &) {
		i = -i;
	}
	hit(&returned_same);
	return i;
}

// runs while another exception is on its way, with one of its own
extern "C" KEEP int tidy(int i)
{
	hit(&n_tidy);
	for (int k = 0; k < 3; k++)
		i += same(i + k);
	hit(&returned_tidy);
	return i;
}

struct guard {
	int i;
	~guard()
	{
		i = tidy(i);
	}
};

extern "C" KEEP int within(int i)
{
	guard g = {i};
	int v;

	hit(&n_within);
	v = thrower(i) + g.i;
	hit(&returned_within);
	return v;
}

// a handler that throws another one, and keeps the first
extern "C" KEEP int quarrel(int i)
{
	int v = 0;

	hit(&n_quarrel);
	try {
		v = within(i);
	} catch (int) {
		std::exception_ptr kept = std::current_exception();

		try {
			within(0);
		} catch (const std::exception &) {
			std::rethrow_exception(kept);
		}
	} catch (const std::exception &) {
		throw;
	}
	hit(&returned_quarrel);
	return v;
}

extern "C" KEEP int tail(int i)
{
	hit(&n_tail);
	hit(&returned_tail);
	return quarrel(i);
}

extern "C" KEEP int pass(int i)
{
	hit(&n_pass);
	i = c_frame(tail, i, &n_c_frame, &returned_c_frame);
	hit(&returned_pass);
	return i;
}

extern "C" KEEP int compare(const void *a, const void *b)
{
	int v = *static_cast<const int *>(a) - *static_cast<const int *>(b);

	hit(&n_compare);
	if (v > 6)
		throw v;
	hit(&returned_compare);
	return v;
}

extern "C" KEEP int catcher(int i)
{
	int list[] = {i % 11, 1, 2, 3, 0};

	try {
		qsort(list, 5, sizeof(*list), compare);
		return pass(i);
	} catch (const std::runtime_error &) {
		return -1;
	} catch (int v) {
		return -v;
	}
}

// ---- longjmp ----

static thread_local sigjmp_buf home;

extern "C" KEEP int plunge(int i)
{
	hit(&n_plunge);
	if (i % 2)
		siglongjmp(home, 1);
	hit(&returned_plunge);
	return i;
}

extern "C" KEEP int deeper(int i, int levels)
{
	volatile int v;

	hit(&n_deeper);
	v = levels ? deeper(i, levels - 1) : plunge(i);
	hit(&returned_deeper);
	return v + 1;
}

extern "C" KEEP int attempt(int i)
{
	if (sigsetjmp(home, i % 4))
		return -i;
	return deeper(i, i % 100 ? 8 : 200);
}

// ---- signals ----

extern "C" KEEP void handler(int sig)
{
	hit(&n_handler);
	if (sig != SIGURG)
		siglongjmp(home, sig);
	hit(&returned_handler);
}

extern "C" KEEP int interrupted(int i, volatile int *where)
{
	hit(&n_interrupted);
	if (i % 3 == 0)
		raise(SIGUSR1);
	else if (i % 3 == 1)
		raise(SIGURG);
	else
		*where = i;
	hit(&returned_interrupted);
	return i;
}

extern "C" KEEP int signalled(int i)
{
	if (sigsetjmp(home, 1))
		return -i;
	return interrupted(i, nullptr);
}

// a signal at any instruction
extern "C" KEEP int small(int i)
{
	return i * 3;
}

extern "C" KEEP int busy(int i)
{
	for (;;)
		i += small(i);
}

extern "C" KEEP int shot(void)
{
	struct itimerval soon = {{0, 0}, {0, 300}};

	if (sigsetjmp(home, 1))
		return 1;
	setitimer(ITIMER_REAL, &soon, nullptr);
	return busy(1);
}

// Jumps from another stack. Its frame is still there.
extern "C" KEEP void wander(void)
{
	siglongjmp(home, 1);
}

static void jump_from_another_stack()
{
	static char stack[1 << 16];
	ucontext_t context;

	getcontext(&context);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = sizeof(stack);
	makecontext(&context, wander, 0);
	if (!sigsetjmp(home, 1))
		setcontext(&context);
}

// ---- threads ----

extern "C" KEEP void last(int i)
{
	hit(&n_last);
	if (i % 2)
		pthread_exit(nullptr);
	hit(&returned_last);
}

extern "C" KEEP void *ender(void *arg)
{
	guard g = {1};
	int i = *static_cast<int *>(arg);

	hit(&n_ender);
	for (int k = 0; k < 12; k++) {
		catcher(k);
		attempt(k);
	}
	last(i);
	hit(&returned_ender);
	return nullptr;
}

static int fds[2];

extern "C" KEEP void *sleeper(void *)
{
	guard g = {1};
	char c;

	hit(&n_sleeper);
	while (read(fds[0], &c, 1) == 1)
		;
	hit(&returned_sleeper);
	return nullptr;
}

static void run_threads()
{
	pthread_t threads[7];
	int i[6];

	for (int k = 0; k < 6; k++) {
		i[k] = k;
		pthread_create(&threads[k], nullptr, ender, &i[k]);
	}
	if (pipe(fds) == 0)
		pthread_create(&threads[6], nullptr, sleeper, nullptr);
	while (!__atomic_load_n(&n_sleeper, __ATOMIC_RELAXED))
		usleep(1000);
	pthread_cancel(threads[6]);
	for (int k = 0; k < 7; k++)
		pthread_join(threads[k], nullptr);
}

static void handle(int sig, int flags)
{
	struct sigaction a;

	memset(&a, 0, sizeof(a));
	a.sa_handler = handler;
	a.sa_flags = flags;
	sigaction(sig, &a, nullptr);
}

static char other_stack[1 << 16];

static void handle_signals()
{
	stack_t st;

	memset(&st, 0, sizeof(st));
	st.ss_sp = other_stack;
	st.ss_size = sizeof(other_stack);
	sigaltstack(&st, nullptr);
	handle(SIGUSR1, 0);
	handle(SIGURG, 0);
	handle(SIGALRM, 0);
	handle(SIGSEGV, SA_ONSTACK);
}

#define TRUTH(name) truth(#name, &n_##name), truth_return(#name, returned_##name)

static long sum, shots;

static void turns(long n)
{
	for (long i = 0; i < n; i++) {
		sum += catcher((int)i);
		sum += attempt((int)i);
		sum += signalled((int)i);
		shots += i % 3 ? 0 : shot();
	}
}

// With the argument fork it forks, and both do the same. With gate it does some turns for
// each line that it reads, and says so. With alone it starts no threads.
int main(int argc, char **argv)
{
	char line[16];

	handle_signals();
	if (argc > 1 && strcmp(argv[1], "fork") == 0 && fork() > 0)
		wait(nullptr);
	if (argc > 1 && strcmp(argv[1], "gate") == 0) {
		puts("ready");
		fflush(stdout);
		while (fgets(line, sizeof(line), stdin)) {
			turns(12);
			puts("done");
			fflush(stdout);
		}
	}
	turns(turns_of(15));
	jump_from_another_stack();
	if (argc < 2 || strcmp(argv[1], "alone") != 0)
		run_threads();
	printf("sum=%ld\nshots=%ld\n", sum, shots);
	TRUTH(thrower);
	TRUTH(same);
	TRUTH(tidy);
	TRUTH(within);
	TRUTH(quarrel);
	TRUTH(tail);
	TRUTH(pass);
	TRUTH(c_frame);
	TRUTH(compare);
	TRUTH(plunge);
	TRUTH(deeper);
	TRUTH(interrupted);
	TRUTH(last);
	TRUTH(ender);
	TRUTH(sleeper);
	return 0;
}
