/* SPDX-License-Identifier: MIT */
#include "tracer/run_guard.h"
#include "vm/base/base.h"
#include "vm/base/host/background.h"

#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 100 /* between looks */

static struct {
	const struct tracer *t; /* borrowed */
	sigset_t signals;
	pid_t thread;
	atomic_bool has_results;
} watched;

void run_guard_note_results(void)
{
	atomic_store(&watched.has_results, true);
}

/* What a signal of the process waits for: this thread blocks it, so it cannot take it. */
static bool is_pending(void)
{
	sigset_t pending, both;

	return sigpending(&pending) == 0 &&
	       sigandset(&both, &pending, &watched.signals) == 0 &&
	       !sigisemptyset(&both);
}

/* The beginning of a file of the thread in /proc, or "". */
static void read_file(const char *name, char *text, size_t cap)
{
	char path[64];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/%s", (int)watched.thread,
		 name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, cap - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
}

/*
 * Whether the thread sleeps so that no signal wakes it, and has not run since the last
 * look: one that waits for a processor, or for a disk that works, goes on.
 */
static bool is_stuck(void)
{
	static char before[64];
	char now[64], text[512];
	const char *end;
	bool has_run;

	read_file("schedstat", now, sizeof(now));
	now[strcspn(now, " ")] = '\0'; /* the time that it has run */
	has_run = strcmp(now, before) != 0;
	memcpy(before, now, sizeof(before));
	read_file("stat", text, sizeof(text));
	end = strrchr(text, ')'); /* of its name */
	return !has_run && end && end[1] == ' ' && end[2] == 'D';
}

/* Which argument of a call is a descriptor (1), or a path of this process (2). */
static const struct call {
	int number, argument, kind;
	const char *what;
} calls[] = {
	{SYS_read, 0, 1, "reading"},	       {SYS_pread64, 0, 1, "reading"},
	{SYS_lseek, 0, 1, "reading"},	       {SYS_fstat, 0, 1, "reading"},
	{SYS_fstatfs, 0, 1, "reading"},	       {SYS_write, 0, 1, "writing"},
	{SYS_pwrite64, 0, 1, "writing"},       {SYS_ftruncate, 0, 1, "writing"},
	{SYS_close, 0, 1, "closing"},	       {SYS_open, 0, 2, "opening"},
	{SYS_openat, 1, 2, "opening"},	       {SYS_openat2, 1, 2, "opening"},
	{SYS_stat, 0, 2, "looking for"},       {SYS_lstat, 0, 2, "looking for"},
	{SYS_newfstatat, 1, 2, "looking for"}, {SYS_access, 0, 2, "looking for"},
	{SYS_readlink, 0, 2, "looking for"},   {SYS_statfs, 0, 2, "looking for"},
};

/* "reading '/mnt/file'": the call that the thread sleeps in. */
static void describe(char *text, size_t cap)
{
	char path[64], line[256] = "", target[512] = "?";
	unsigned long long number = 0, args[3] = {0};
	const char *name = target;
	ssize_t n;

	read_file("syscall", line, sizeof(line));
	if (sscanf(line, "%llu %llx %llx %llx", &number, &args[0], &args[1],
		   &args[2]) != 4) {
		snprintf(text, cap, "a call of the kernel");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		const struct call *c = &calls[i];

		if ((unsigned long long)c->number != number)
			continue;
		if (c->kind == 2) { /* the thread stays in the call, with its text */
			name = (const char *)(uintptr_t)args[c->argument];
		} else {
			snprintf(path, sizeof(path), "/proc/self/fd/%d",
				 (int)args[c->argument]);
			n = readlink(path, target, sizeof(target) - 1);
			target[n > 0 ? n : 0] = '\0';
		}
		snprintf(text, cap, "%s '%s'", c->what, name);
		return;
	}
	snprintf(text, cap, "system call %llu", number);
}

/* Only what needs nothing of the thread that sleeps: no lock, no memory. */
static ATTR_NORETURN void give_up(void)
{
	struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
	char what[700], line[1024];
	ssize_t ignored = 0;

	describe(what, sizeof(what));
	snprintf(line, sizeof(line),
		 "%s: interrupted while it waited in the kernel (%s); left out: what "
		 "was not printed yet\n",
		 watched.t->command, what);
	if (poll(&ready, 1, 0) == 1)
		ignored = write(STDERR_FILENO, line, strlen(line));
	(void)ignored;
	/* The descriptor stays open as long as the thread sleeps. */
	if (watched.t->link.fd >= 0) {
		shutdown(watched.t->link.fd, SHUT_RDWR);
		link_continue(&watched.t->link);
	}
	_exit(1);
}

static ATTR_NORETURN void *guard(void *ctx)
{
	const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
	unsigned ms = 0;

	(void)ctx;
	for (;;) {
		nanosleep(&pause, NULL);
		ms = is_pending() && is_stuck() ? ms + LOOK_MS : 0;
		if (ms >=
		    (atomic_load(&watched.has_results) ? GUARD_MS : GUARD_PREPARING_MS))
			give_up();
	}
}

void run_guard_start(const struct tracer *t, const sigset_t *signals)
{
	watched.t = t;
	watched.signals = *signals;
	watched.thread = (pid_t)syscall(SYS_gettid);
	/* Without it there is no last way out. */
	thread_start(NULL, THREAD_STACK, guard, NULL);
}
