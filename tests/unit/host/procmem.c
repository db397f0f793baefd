/* SPDX-License-Identifier: MIT */
/*
 * A child process has pages that are there, that are not yet, that are not mapped, and one
 * that never comes: userfaultfd(2) serves it, which is not read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "vm/base/host/clock.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/helper.h"
#include "vm/base/proc/procmem.h"
#include "vm/base/proc/procmem_window.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

enum { PRESENT, ABSENT, CLOSED, STALLED, UNMAPPED, PAGES };

struct world {
	char *at; /* in the child */
	int pid, mem;
	struct procmem m;
};

static bool stall(char *page)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register r = {.mode = UFFDIO_REGISTER_MODE_MISSING,
				    .range = {(uintptr_t)page, PAGE}};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	return fd >= 0 && ioctl(fd, UFFDIO_API, &api) == 0 &&
	       ioctl(fd, UFFDIO_REGISTER, &r) == 0;
}

static void child(char *at, int ready)
{
	memset(at + PRESENT * PAGE, 'p', PAGE);
	memset(at + CLOSED * PAGE, 'c', PAGE);
	mprotect(at + CLOSED * PAGE, PAGE, PROT_NONE);
	munmap(at + UNMAPPED * PAGE, PAGE);
	if (write(ready, stall(at + STALLED * PAGE) ? "y" : "n", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static int begin(void **state)
{
	struct world *w = test_calloc(1, sizeof(*w));
	char path[40], answer = 0;
	int ready[2];

	assert_int_equal(pipe(ready), 0);
	w->at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(w->at, MAP_FAILED);
	w->pid = fork();
	if (w->pid == 0)
		child(w->at, ready[1]);
	assert_int_equal(read(ready[0], &answer, 1), 1);
	close(ready[0]);
	close(ready[1]);
	snprintf(path, sizeof(path), "/proc/%d/mem", w->pid);
	w->mem = open(path, O_RDWR | O_CLOEXEC);
	assert_true(w->mem >= 0);
	procmem_init(&w->m, w->pid, w->mem);
	*state = w;
	if (answer == 'n')
		w->pid = -w->pid;
	return 0;
}

static int end(void **state)
{
	struct world *w = *state;

	kill(abs(w->pid), SIGKILL);
	waitpid(abs(w->pid), NULL, 0);
	procmem_release(&w->m);
	close(w->mem);
	munmap(w->at, PAGES * PAGE);
	test_free(w);
	return 0;
}

static uint64_t place(const struct world *w, int page)
{
	return (uint64_t)(uintptr_t)w->at + (uint64_t)page * PAGE;
}

static uint64_t now_ms(void)
{
	return clock_now_ns() / 1000000;
}

static void test_pages(void **state)
{
	struct world *w = *state;
	char buf[2 * PAGE], one = 'w';

	assert_int_equal(procmem_peek(&w->m, place(w, PRESENT), buf, PAGE), PAGE);
	assert_int_equal(buf[PAGE - 1], 'p');
	/* It is made when it is read. */
	assert_int_equal(procmem_peek_some(&w->m, place(w, PRESENT), buf, 2 * PAGE),
			 PAGE);
	assert_int_equal(procmem_peek(&w->m, place(w, PRESENT), buf, 2 * PAGE),
			 2 * PAGE);
	assert_int_equal(buf[PAGE], 0);
	assert_int_equal(procmem_load(&w->m, place(w, PRESENT), buf, 8), 0);
	assert_int_equal(procmem_read(&w->m, place(w, ABSENT) - 8, buf, 16), 0);
	assert_int_equal(procmem_poke(&w->m, place(w, ABSENT), &one, 1), 0);
	assert_int_equal(procmem_peek(&w->m, place(w, ABSENT), buf, 1), 1);
	assert_int_equal(buf[0], 'w');
	assert_int_equal(procmem_peek(&w->m, place(w, UNMAPPED), buf, 1), 0);
	assert_int_equal(procmem_peek(&w->m, UINT64_MAX - 3, buf, 8), 0);
	assert_int_equal(procmem_read(&w->m, place(w, UNMAPPED), buf, 1), STATUS_FAULT);
	assert_int_equal(procmem_poke(&w->m, place(w, UNMAPPED), &one, 1),
			 STATUS_FAULT);
}

/* What the child has written, as seen by the child and through the window. */
static void test_window(void **state)
{
	struct world *w = *state;
	struct procmem_window window = {.memory = &w->m};
	char buf[2 * PAGE], one = 'w';
	uint64_t at = place(w, PRESENT);

	assert_int_equal(procmem_window_read(&window, at + 100, buf, 8), 0);
	assert_memory_equal(buf, "pppppppp", 8);
	assert_int_equal(window.copies[0].n, STALLED * PAGE);
	/* A copy: later reads near by show what was there then. */
	assert_int_equal(procmem_write(&w->m, at + 200, &one, 1), 0);
	assert_int_equal(procmem_window_read(&window, at + 200, buf, 1), 0);
	assert_int_equal(buf[0], 'p');
	assert_int_equal(procmem_window_read(&window, at + PAGE - 4, buf, 8), 0);
	assert_memory_equal(buf, "pppp\0\0\0\0", 8);
	assert_int_equal(procmem_window_read(&window, place(w, CLOSED), buf, 1), 0);
	assert_int_equal(buf[0], 'c');
	/* Beyond it. */
	assert_int_equal(procmem_window_read(&window, place(w, UNMAPPED), buf, 1),
			 STATUS_FAULT);
	assert_int_equal(procmem_window_read(&window, UINT64_MAX - 3, buf, 8),
			 STATUS_FAULT);
	assert_int_equal(procmem_window_read(&window, at + PAGE - 4, buf, 8), 0);
	procmem_window_release(&window);
	window.memory = NULL;
	assert_int_equal(procmem_window_read(&window, at, buf, 8), STATUS_FAULT);
}

/* Of so many stretches copies are kept, those that were used last. */
static void test_window_copies(void **state)
{
	const size_t stretch = 2 * PROCMEM_WINDOW_BYTES, n = PROCMEM_WINDOW_COPIES + 1;
	char *own = mmap(NULL, n * stretch, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	struct procmem m;
	struct procmem_window window = {.memory = &m};
	char byte;

	(void)state;
	assert_ptr_not_equal(own, MAP_FAILED);
	assert_true(mem >= 0);
	procmem_init(&m, getpid(), mem);
	for (size_t i = 0; i < 4 * n; i++) {
		uint64_t at = (uint64_t)(uintptr_t)own + i % (n - 1) * stretch;

		assert_int_equal(procmem_window_read(&window, at + i, &byte, 1), 0);
		assert_int_equal(byte, 0);
		if (i == n - 2)
			memset(own, 1, n * stretch);
	}
	/* in place of the second, which was not used for longest after this */
	assert_int_equal(
		procmem_window_read(&window, (uint64_t)(uintptr_t)own, &byte, 1), 0);
	for (size_t i = 2; i < n; i++)
		assert_int_equal(
			procmem_window_read(&window,
					    (uint64_t)(uintptr_t)own + i * stretch,
					    &byte, 1),
			0);
	assert_int_equal(byte, 1);
	assert_int_equal(
		procmem_window_read(&window, (uint64_t)(uintptr_t)own, &byte, 1), 0);
	assert_int_equal(byte, 0);
	assert_int_equal(procmem_window_read(
				 &window, (uint64_t)(uintptr_t)own + stretch, &byte, 1),
			 0);
	assert_int_equal(byte, 1);
	procmem_window_release(&window);
	procmem_release(&m);
	close(mem);
	munmap(own, n * stretch);
}

/* One pass over much text: each copy goes on where that before it ends. */
static void test_window_grows(void **state)
{
	const size_t n = 6 * PROCMEM_WINDOW_MOST, apart = 2 * PROCMEM_WINDOW_MOST;
	char *own = mmap(NULL, apart + n, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	const uint64_t lo = (uint64_t)(uintptr_t)own;
	struct procmem m;
	struct procmem_window window = {.memory = &m};
	uint64_t value;

	(void)state;
	assert_ptr_not_equal(own, MAP_FAILED);
	procmem_init(&m, getpid(), -1);
	for (size_t at = 0; at < n; at += sizeof(at))
		memcpy(own + apart + at, &at, sizeof(at));
	assert_int_equal(procmem_window_read(&window, lo, &value, sizeof(value)), 0);
	for (size_t at = 0; at < n - 8; at += 1020) { /* some are in two pages */
		assert_int_equal(procmem_window_read(&window, lo + apart + at, &value,
						     sizeof(value)),
				 0);
		assert_memory_equal(&value, own + apart + at, sizeof(value));
		if (at == 3 * PROCMEM_WINDOW_BYTES / 2 / 1020 * 1020)
			assert_int_equal(window.copies[0].n, 2 * PROCMEM_WINDOW_BYTES);
		if (at > n / 2 && at < n - PROCMEM_WINDOW_MOST)
			assert_int_equal(window.copies[0].n, PROCMEM_WINDOW_MOST);
	}
	/* in one place, so what was read elsewhere before is still there */
	assert_int_equal(window.copies[1].lo, lo);
	assert_int_equal(window.copies[1].n, PROCMEM_WINDOW_BYTES);
	assert_null(window.copies[2].bytes);
	procmem_window_release(&window);
	procmem_release(&m);
	munmap(own, apart + n);
}

static void test_protected(void **state)
{
	struct world *w = *state;
	char buf[8], one = 'w';

	assert_int_equal(procmem_load(&w->m, place(w, CLOSED), buf, 8), STATUS_FAULT);
	assert_int_equal(procmem_poke(&w->m, place(w, CLOSED), &one, 1), STATUS_FAULT);
	assert_int_equal(procmem_read(&w->m, place(w, CLOSED), buf, 8), 0);
	assert_int_equal(buf[0], 'c');
	assert_int_equal(procmem_write(&w->m, place(w, CLOSED), &one, 1), 0);
	assert_int_equal(procmem_read(&w->m, place(w, CLOSED), buf, 1), 0);
	assert_int_equal(buf[0], 'w');
}

static void test_once(void **state)
{
	struct world *w = *state;
	char buf[8];

	assert_int_equal(procmem_peek_once(abs(w->pid), place(w, PRESENT), buf, 8), 8);
	assert_int_equal(procmem_peek_once(abs(w->pid), place(w, UNMAPPED), buf, 8), 0);
}

static void test_gone(void **state)
{
	struct world *w = *state;
	siginfo_t info;
	char buf[8];

	kill(abs(w->pid), SIGKILL);
	waitid(P_PID, (id_t)abs(w->pid), &info, WEXITED | WNOWAIT);
	assert_int_equal(procmem_read(&w->m, place(w, PRESENT), buf, 8), STATUS_GONE);
	assert_int_equal(procmem_peek(&w->m, place(w, PRESENT), buf, 8), 0);
}

static void test_stalled(void **state)
{
	struct world *w = *state;
	uint64_t begin_ms = now_ms();
	char buf[8];

	if (w->pid < 0)
		skip();
	for (int i = 0; i < 100; i++) {
		assert_int_equal(procmem_peek(&w->m, place(w, STALLED), buf, 8), 0);
		assert_int_equal(procmem_load(&w->m, place(w, STALLED), buf, 8),
				 STATUS_FAULT);
		assert_int_equal(procmem_poke(&w->m, place(w, STALLED), buf, 8),
				 STATUS_FAULT);
	}
	/* 300 accesses, but no more waiting than is given to one process. */
	assert_true(now_ms() - begin_ms < 2 * PROCMEM_TOTAL_MS);
	assert_int_equal(helpers_lost(), PROCMEM_LOST_MAX);
	/* What is there is read as ever. */
	assert_int_equal(procmem_peek(&w->m, place(w, PRESENT), buf, 8), 8);
	/* With the process its pages end, and the threads come back. */
	kill(w->pid, SIGKILL);
	for (begin_ms = now_ms(); helpers_lost() && now_ms() - begin_ms < 10000;)
		usleep(1000);
	assert_int_equal(helpers_lost(), 0);
}

struct slow_job {
	struct helper_job base;
	atomic_bool *may_end, *is_dropped;
	atomic_int *runs;
};

static void run_slowly(struct helper_job *base)
{
	struct slow_job *job = (struct slow_job *)base;

	atomic_fetch_add(job->runs, 1);
	while (!atomic_load(job->may_end))
		usleep(100);
}

static void drop(struct helper_job *base)
{
	struct slow_job *job = (struct slow_job *)base;

	atomic_store(job->is_dropped, true);
	free(job);
}

static void test_helper(void **state)
{
	static atomic_bool may_end, is_dropped;
	static atomic_int runs;
	struct slow_job job = {
		{.run = run_slowly, .drop = drop}, &may_end, &is_dropped, &runs};
	struct slow_job *lost = malloc(sizeof(*lost));

	(void)state;
	*lost = job;
	assert_int_equal(helper_run(&lost->base, 30), STATUS_BUSY);
	assert_int_equal(helpers_lost(), 1);
	atomic_store(&may_end, true);
	assert_int_equal(helper_run(&job.base, 10000), 0);
	assert_int_equal(helper_run(&job.base, 10000), 0);
	while (helpers_lost())
		usleep(100);
	assert_true(job.base.slept_ns < 10000 * UINT64_C(1000000));
	assert_true(atomic_load(&is_dropped));
	assert_int_equal(atomic_load(&runs), 3);
}

static void sleep_and_work(struct helper_job *base)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 60 * UINT64_C(1000000);

	(void)base;
	usleep(20000);
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

/* What a wait costs a process is the time that it sleeps, not what the machine computes. */
static void test_slept(void **state)
{
	struct helper_job job = {.run = sleep_and_work};
	uint64_t begin = clock_now_ns(), all;

	(void)state;
	assert_int_equal(helper_run(&job, 10000), 0);
	all = clock_now_ns() - begin;
	assert_true(job.slept_ns >= 20 * UINT64_C(1000000));
	assert_true(job.slept_ns <= all - 60 * UINT64_C(1000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pages, begin, end),
		cmocka_unit_test_setup_teardown(test_window, begin, end),
		cmocka_unit_test(test_window_copies),
		cmocka_unit_test(test_window_grows),
		cmocka_unit_test_setup_teardown(test_protected, begin, end),
		cmocka_unit_test_setup_teardown(test_once, begin, end),
		cmocka_unit_test_setup_teardown(test_gone, begin, end),
		cmocka_unit_test_setup_teardown(test_stalled, begin, end),
		cmocka_unit_test(test_helper),
		cmocka_unit_test(test_slept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
