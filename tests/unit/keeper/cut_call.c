/* SPDX-License-Identifier: MIT */
/*
 * Calls that a stop cut short: what the thread makes next, and what the program sees in
 * the end.
 */
#include "tracer/keeper/os/cut_call.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cmocka.h>

#define PC    0x1000
#define SP    0x7000
#define MS    UINT64_C(1000000)
#define BEGIN (1000 * MS) /* when the first stop is */
#define AFTER (PC + REGS_SYSCALL_BYTES)
#define URING SYS_io_uring_enter

enum what {
	EVENT,	 /* a stop for our interrupt */
	EXIT,	 /* the stop at a call's exit, an interrupt of ours is due */
	NATURAL, /* the same, without an interrupt */
	CAUGHT,	 /* a signal with a handler, at the end of the call */
	IGNORED, /* one without */
	LATE,	 /* a signal with a handler, before the call is made again */
	LEAVE,	 /* the thread is detached, before the call is made again */
};

struct step {
	enum what what;
	int64_t result;	  /* of the call that was made */
	bool is_again;	  /* then: the call is made again, with args */
	uint64_t args[3]; /* count, buffer or time-out, offset, as in arg[] */
	int64_t value;	  /* not again: what the program sees */
	bool needs_exit;
};

#define MAX_STEPS 4

struct cut_case {
	const char *what;
	int64_t nr;
	uint64_t args[REGS_SYSCALL_ARGS];
	int arg[3]; /* which arguments the steps name */
	enum cut_file file;
	struct step steps[MAX_STEPS];
	int n;
};

#define ONE(...)   {{__VA_ARGS__}}, 1
#define EPOLL(ms)  SYS_epoll_wait, {3, 0x5000, 8, ms}, {2, 1, 3}, CUT_FILE_STORED
#define WRITE(n)   SYS_write, {1, 0x5000, n}, {2, 1, 0}, CUT_FILE_STORED
#define READ(file) SYS_read, {1, 0x5000, 100}, {2, 1, 0}, file

static const struct cut_case cases[] = {
	{"epoll_wait is made again", EPOLL(1u << 31),
	 ONE(EVENT, -EINTR, true, {8, 0x5000, 1u << 31}, 0, false)},
	{"at its exit as well", EPOLL(1u << 31),
	 ONE(NATURAL, -EINTR, true, {8, 0x5000, 1u << 31}, 0, false)},
	{"a caught signal ends it", EPOLL(500),
	 ONE(CAUGHT, -EINTR, false, {0}, -EINTR, false)},
	{"an ignored one does not", EPOLL(500),
	 ONE(IGNORED, -EINTR, true, {8, 0x5000, 500}, 0, false)},
	{"a caught signal after the stop ends it",
	 EPOLL(500),
	 {{EVENT, -EINTR, true, {8, 0x5000, 500}, 0, false},
	  {LATE, 0, false, {0}, -EINTR, false}},
	 2},
	/* each step is 100 ms later */
	{"its time-out does not begin again",
	 EPOLL(500),
	 {{EVENT, -EINTR, true, {8, 0x5000, 500}, 0, false},
	  {EVENT, -EINTR, true, {8, 0x5000, 400}, 0, true},
	  {EXIT, -EINTR, true, {8, 0x5000, 300}, 0, true},
	  {EXIT, 0, false, {0}, 0, false}},
	 4},
	{"a time-out that has passed is none",
	 EPOLL(150),
	 {{EVENT, -EINTR, true, {8, 0x5000, 150}, 0, false},
	  {EVENT, -EINTR, true, {8, 0x5000, 50}, 0, true},
	  {EXIT, -EINTR, true, {8, 0x5000, 0}, 0, true},
	  {EXIT, 1, false, {0}, 1, false}},
	 4},
	{"detached, its time-out begins again",
	 EPOLL(500),
	 {{EVENT, -EINTR, true, {8, 0x5000, 500}, 0, false},
	  {EVENT, -EINTR, true, {8, 0x5000, 400}, 0, true},
	  {LEAVE, 0, true, {8, 0x5000, 500}, 0, false}},
	 3},
	{"close is not made again",
	 SYS_close,
	 {3},
	 {0, 1, 2},
	 CUT_FILE_STORED,
	 ONE(EVENT, -EINTR, false, {0}, -EINTR, false)},
	{"the kernel restarts read", READ(CUT_FILE_STREAM),
	 ONE(EVENT, -512, false, {0}, -512, false)},
	{"a time-out of connect is the same error",
	 SYS_connect,
	 {3, 0x5000, 16},
	 {0, 1, 2},
	 CUT_FILE_STREAM,
	 {{EVENT, -EINTR, true, {3, 0x5000, 16}, 0, true},
	  {EXIT, -EALREADY, false, {0}, -EINPROGRESS, false}},
	 2},

	{"the rest of a write",
	 WRITE(100),
	 {{EVENT, 30, true, {70, 0x501e, 1}, 0, true},
	  {EXIT, 50, true, {20, 0x5050, 1}, 0, true},
	  {EXIT, 20, false, {0}, 100, false}},
	 3},
	{"a write that is complete", WRITE(100),
	 ONE(EVENT, 100, false, {0}, 100, false)},
	{"a part that no stop caused", WRITE(100),
	 ONE(NATURAL, 30, false, {0}, 30, false)},
	{"a part, and a caught signal", WRITE(100),
	 ONE(CAUGHT, 30, false, {0}, 30, false)},
	{"a part, and an ignored signal", WRITE(100),
	 ONE(IGNORED, 30, true, {70, 0x501e, 1}, 0, true)},
	{"the rest fails: the part counts",
	 WRITE(100),
	 {{EVENT, 30, true, {70, 0x501e, 1}, 0, true},
	  {NATURAL, -EAGAIN, false, {0}, 30, false}},
	 2},
	{"a caught signal before the rest: the part counts",
	 WRITE(100),
	 {{EVENT, 30, true, {70, 0x501e, 1}, 0, true},
	  {LATE, 0, false, {0}, 30, false}},
	 2},
	{"a caught signal in the rest: the part counts",
	 WRITE(100),
	 {{EVENT, 30, true, {70, 0x501e, 1}, 0, true},
	  {CAUGHT, -512, false, {0}, 30, false}},
	 2},
	{"the rest is cut short before it began",
	 WRITE(100),
	 {{EVENT, 30, true, {70, 0x501e, 1}, 0, true},
	  {EXIT, -512, true, {70, 0x501e, 1}, 0, true},
	  {NATURAL, 10, false, {0}, 40, false}},
	 3},
	{"detached, the part counts",
	 WRITE(100),
	 {{EVENT, 30, true, {70, 0x501e, 1}, 0, true},
	  {LEAVE, 0, false, {0}, 30, false}},
	 2},

	{"a part of a socket's data", READ(CUT_FILE_STREAM),
	 ONE(EVENT, 30, false, {0}, 30, false)},
	{"a part of zeros", READ(CUT_FILE_FILLS),
	 ONE(EVENT, 30, true, {70, 0x501e, 1}, 0, true)},
	{"a part of what is read at an offset",
	 SYS_pread64,
	 {1, 0x5000, 100, 7},
	 {2, 1, 3},
	 CUT_FILE_FILLS,
	 ONE(EVENT, 30, true, {70, 0x501e, 37}, 0, true)},
	{"a part of random bytes",
	 SYS_getrandom,
	 {0x5000, 100, 0},
	 {1, 0, 2},
	 CUT_FILE_STORED,
	 ONE(EVENT, 30, true, {70, 0x501e, 0}, 0, true)},
	{"a receiver that waits for all",
	 SYS_recvfrom,
	 {1, 0x5000, 100, MSG_WAITALL},
	 {2, 1, 3},
	 CUT_FILE_STREAM,
	 ONE(EVENT, 30, true, {70, 0x501e, MSG_WAITALL}, 0, true)},
	{"a datagram is no part",
	 SYS_recvfrom,
	 {1, 0x5000, 100, MSG_WAITALL},
	 {2, 1, 3},
	 CUT_FILE_STORED,
	 ONE(EVENT, 30, false, {0}, 30, false)},
	{"some messages of many",
	 SYS_recvmmsg,
	 {1, 0x5000, 8, 0, 0},
	 {2, 1, 3},
	 CUT_FILE_STREAM,
	 ONE(EVENT, 3, true, {5, 0x50c0, 0}, 0, true)},
	{"the first message of many",
	 SYS_recvmmsg,
	 {1, 0x5000, 8, MSG_WAITFORONE, 0},
	 {2, 1, 3},
	 CUT_FILE_STREAM,
	 ONE(EVENT, 3, false, {0}, 3, false)},
	{"a file that is sent",
	 SYS_sendfile,
	 {1, 2, 0, 100},
	 {3, 2, 1},
	 CUT_FILE_STORED,
	 ONE(EVENT, 30, true, {70, 0, 2}, 0, true)},
	{"a file that is spliced",
	 SYS_splice,
	 {1, 0, 2, 0, 100, 0},
	 {4, 1, 2},
	 CUT_FILE_STORED,
	 ONE(EVENT, 30, true, {70, 0, 2}, 0, true)},
	{"a pipe that is spliced",
	 SYS_splice,
	 {1, 0, 2, 0, 100, 0},
	 {4, 1, 2},
	 CUT_FILE_STREAM,
	 ONE(EVENT, 30, false, {0}, 30, false)},

	{"io_uring: all submitted, then it waits",
	 URING,
	 {3, 2, 1, 1},
	 {1, 2, 3},
	 CUT_FILE_STORED,
	 {{EVENT, 2, true, {0, 1, 1}, 0, true},
	  {EXIT, -EINTR, true, {0, 1, 1}, 0, true},
	  {NATURAL, 0, false, {0}, 2, false}},
	 3},
	{"io_uring: not all submitted, so it did not wait",
	 URING,
	 {3, 2, 1, 1},
	 {1, 2, 3},
	 CUT_FILE_STORED,
	 ONE(EVENT, 1, false, {0}, 1, false)},
	{"io_uring: nothing to wait for",
	 URING,
	 {3, 2, 0, 0},
	 {1, 2, 3},
	 CUT_FILE_STORED,
	 ONE(EVENT, 2, false, {0}, 2, false)},
	{"io_uring: only waits",
	 URING,
	 {3, 0, 1, 1},
	 {1, 2, 3},
	 CUT_FILE_STORED,
	 ONE(EVENT, -EINTR, true, {0, 1, 1}, 0, false)},
};

static enum cut_file file;

static bool file_is(int tid, int fd, enum cut_file what)
{
	(void)tid;
	(void)fd;
	return file == what;
}

/* The registers at the stop, from those with which the thread was resumed. */
static struct regs at_stop(const struct cut_case *c, const struct step *s,
			   const struct regs *made)
{
	struct regs r = *made;

	if (s->what == LATE || s->what == LEAVE)
		return r;
	regs_set_syscall(
		&r, s->result,
		(uint64_t[]){regs_syscall_arg(made, 0), regs_syscall_arg(made, 1),
			     regs_syscall_arg(made, 2), regs_syscall_arg(made, 3),
			     regs_syscall_arg(made, 4), regs_syscall_arg(made, 5)});
	r.orig_rax = (uint64_t)c->nr;
	regs_set_pc(&r, AFTER);
	return r;
}

static void check_end(const struct cut_case *c, const struct step *s, int i,
		      const struct regs *r)
{
	if (regs_syscall_result(r) != s->value || regs_pc(r) != AFTER)
		fail_msg("%s, step %d: returns %lld at %#llx", c->what, i,
			 (long long)regs_syscall_result(r), (long long)regs_pc(r));
	for (uint32_t a = 0; a < REGS_SYSCALL_ARGS; a++)
		if (regs_syscall_arg(r, a) != c->args[a])
			fail_msg("%s, step %d: argument %u is changed", c->what, i, a);
}

static void check_again(const struct cut_case *c, const struct step *s, int i,
			const struct regs *r)
{
	if (regs_syscall_result(r) != c->nr || regs_pc(r) != PC ||
	    regs_syscall(r) != -1)
		fail_msg("%s, step %d: is not made again", c->what, i);
	for (int a = 0; a < 3; a++)
		if (regs_syscall_arg(r, (uint32_t)c->arg[a]) != s->args[a])
			fail_msg("%s, step %d: argument %d is %#llx", c->what, i,
				 c->arg[a],
				 (long long)regs_syscall_arg(r, (uint32_t)c->arg[a]));
}

static void run(const struct cut_case *c)
{
	struct cut_call cut = {0};
	struct regs r = {.rsp = SP, .rip = PC};

	file = c->file;
	regs_set_syscall(&r, c->nr, c->args);
	for (int i = 0; i < c->n; i++) {
		const struct step *s = &c->steps[i];
		struct cut_stop stop = {
			.is_exit = s->what == EXIT || s->what == NATURAL,
			.is_caught = s->what == CAUGHT || s->what == LATE,
			.now = BEGIN + (uint64_t)i * 100 * MS,
			.file_is = file_is,
		};

		r = at_stop(c, s, &r);
		cut.is_expected = s->what == EXIT;
		if (s->what == LEAVE)
			cut_call_leave(&cut, &r);
		else if (cut_call_concerns(&cut, &r))
			cut_call_stopped(&cut, &stop, &r);
		if (s->is_again)
			check_again(c, s, i, &r);
		else
			check_end(c, s, i, &r);
		if (s->what != LEAVE && cut.is_on != s->is_again)
			fail_msg("%s, step %d: on %d", c->what, i, cut.is_on);
		if (cut.needs_exit != s->needs_exit)
			fail_msg("%s, step %d: needs its exit %d", c->what, i,
				 cut.needs_exit);
	}
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		run(&cases[i]);
}

static bool is_repeated(int64_t nr)
{
	struct cut_call cut = {0};
	struct cut_stop stop = {.now = BEGIN, .file_is = file_is};
	struct regs r = {.rsp = SP,
			 .rip = AFTER,
			 .rax = (uint64_t)-EINTR,
			 .orig_rax = (uint64_t)nr};

	return cut_call_stopped(&cut, &stop, &r) && cut.is_on &&
	       regs_syscall_result(&r) == nr && regs_pc(&r) == PC;
}

static void test_repeated(void **state)
{
	static const int64_t again[] = {SYS_read,
					SYS_readv,
					SYS_recvfrom,
					SYS_recvmsg,
					SYS_recvmmsg,
					SYS_write,
					SYS_writev,
					SYS_sendto,
					SYS_sendmsg,
					SYS_sendmmsg,
					SYS_sendfile,
					SYS_splice,
					SYS_accept,
					SYS_accept4,
					SYS_connect,
					SYS_epoll_wait,
					SYS_epoll_pwait,
					441 /* epoll_pwait2 */,
					SYS_rt_sigtimedwait,
					SYS_semop,
					SYS_semtimedop,
					SYS_io_getevents,
					SYS_io_uring_enter,
					SYS_fallocate};
	static const int64_t once[] = {SYS_close, SYS_ioctl, SYS_futex, SYS_execve, -1};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(again); i++)
		if (!is_repeated(again[i]))
			fail_msg("call %lld is not made again", (long long)again[i]);
	for (size_t i = 0; i < ARRAY_LEN(once); i++)
		if (is_repeated(once[i]))
			fail_msg("call %lld is made again", (long long)once[i]);
}

/* The time-out counts from the entry, where that was seen. */
static void test_entered(void **state)
{
	struct cut_call cut = {0};
	struct cut_stop stop = {.now = BEGIN + 200 * MS, .file_is = file_is};
	struct regs r = {.rsp = SP, .rip = AFTER};
	const uint64_t args[REGS_SYSCALL_ARGS] = {3, 0x5000, 8, 500};

	(void)state;
	regs_set_syscall(&r, -ENOSYS, args);
	r.orig_rax = SYS_epoll_pwait;
	cut_call_entered(&cut, &r, BEGIN);
	r.rax = (uint64_t)-EINTR;
	assert_true(cut_call_stopped(&cut, &stop, &r));
	assert_int_equal(regs_syscall_arg(&r, 3), 300);
	assert_true(cut.needs_exit);
}

/* A call that was made again and has ended unseen does not change a later one. */
static void test_elsewhere(void **state)
{
	struct cut_call cut = {0};
	struct cut_stop stop = {.now = BEGIN, .file_is = file_is};
	struct regs r = {.rsp = SP, .rip = AFTER}, other;
	const uint64_t args[REGS_SYSCALL_ARGS] = {3, 0x5000, 8, 500};

	(void)state;
	regs_set_syscall(&r, -EINTR, args);
	r.orig_rax = SYS_epoll_wait;
	assert_true(cut_call_stopped(&cut, &stop, &r));
	stop.is_caught = true;
	other = r;
	regs_set_sp(&other, SP + 8);
	assert_false(cut_call_stopped(&cut, &stop, &other));
	other = r;
	regs_set_pc(&other, PC + 64);
	assert_false(cut_call_stopped(&cut, &stop, &other));
	assert_true(cut_call_stopped(&cut, &stop, &r));
	assert_int_equal(regs_syscall_result(&r), -EINTR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_repeated),
		cmocka_unit_test(test_entered),
		cmocka_unit_test(test_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
