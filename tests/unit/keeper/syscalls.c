/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/syscalls.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include <cmocka.h>

enum { ENTER, LEAVE, FOUND, EXEC };

#define PC    0x1000
#define SP    0x7000
#define INNER 0x6000 /* sp in a handler */
#define NONE  (-1)

/* One stop; told: the number that the program's call has, or NONE. */
struct step {
	int what;
	struct syscalls_stop stop;
	int told;
	int64_t result;
};

#define MAX_STEPS 12

static const struct {
	const char *name;
	struct step steps[MAX_STEPS];
} cases[] = {
	{"a plain call",
	 {{ENTER, {1, {PC}, {SP}, 0, false}, 1, 0},
	  {LEAVE, {1, {PC}, {SP}, 5, false}, 1, 5}}},
	{"one that fails",
	 {{ENTER, {3, {PC}, {SP}, 0, false}, 3, 0},
	  {LEAVE, {3, {PC}, {SP}, -EBADF, false}, 3, -EBADF}}},
	{"made again, no handler",
	 {{ENTER, {0, {PC}, {SP}, 0, false}, 0, 0},
	  {LEAVE, {0, {PC}, {SP}, -512, false}, NONE, 0},
	  {ENTER, {0, {PC}, {SP}, 0, false}, NONE, 0},
	  {LEAVE, {0, {PC}, {SP}, 7, false}, 0, 7}}},
	{"continued by restart_syscall",
	 {{ENTER, {SYS_nanosleep, {PC}, {SP}, 0, false}, SYS_nanosleep, 0},
	  {LEAVE, {SYS_nanosleep, {PC}, {SP}, -516, false}, NONE, 0},
	  {ENTER, {SYS_restart_syscall, {PC}, {SP}, 0, false}, NONE, 0},
	  {LEAVE, {SYS_restart_syscall, {PC}, {SP}, 0, false}, SYS_nanosleep, 0}}},
	{"made again behind a handler, which calls too",
	 {{ENTER, {0, {PC}, {SP}, 0, false}, 0, 0},
	  {LEAVE, {0, {PC}, {SP}, -512, false}, NONE, 0},
	  {ENTER, {1, {PC + 64}, {INNER}, 0, false}, 1, 0},
	  {LEAVE, {1, {PC + 64}, {INNER}, 1, false}, 1, 1},
	  {ENTER,
	   {SYS_rt_sigreturn, {PC + 96}, {INNER}, 0, false},
	   SYS_rt_sigreturn,
	   0},
	  {LEAVE, {-1, {PC - 2}, {SP}, 0, false}, NONE, 0},
	  {ENTER, {0, {PC}, {SP}, 0, false}, NONE, 0},
	  {LEAVE, {0, {PC}, {SP}, 1, false}, 0, 1}}},
	{"EINTR behind a handler",
	 {{ENTER, {0, {PC}, {SP}, 0, false}, 0, 0},
	  {LEAVE, {0, {PC}, {SP}, -512, false}, NONE, 0},
	  {ENTER,
	   {SYS_rt_sigreturn, {PC + 96}, {INNER}, 0, false},
	   SYS_rt_sigreturn,
	   0},
	  {LEAVE, {-1, {PC}, {SP}, -EINTR, false}, 0, -EINTR}}},
	{"EINTR of its own",
	 {{ENTER, {SYS_epoll_wait, {PC}, {SP}, 0, false}, SYS_epoll_wait, 0},
	  {LEAVE,
	   {SYS_epoll_wait, {PC}, {SP}, -EINTR, false},
	   SYS_epoll_wait,
	   -EINTR}}},
	{"EINTR that we take back",
	 {{ENTER, {SYS_epoll_wait, {PC}, {SP}, 0, false}, SYS_epoll_wait, 0},
	  {LEAVE, {SYS_epoll_wait, {PC}, {SP}, -EINTR, true}, NONE, 0},
	  {ENTER, {SYS_epoll_wait, {PC}, {SP}, 0, false}, NONE, 0},
	  {LEAVE, {SYS_epoll_wait, {PC}, {SP}, 2, false}, SYS_epoll_wait, 2}}},
	{"a jump out of the handler: no return",
	 {{ENTER, {0, {PC}, {INNER}, 0, false}, 0, 0},
	  {LEAVE, {0, {PC}, {INNER}, -512, false}, NONE, 0},
	  {ENTER, {1, {PC + 64}, {SP}, 0, false}, 1, 0},
	  {LEAVE, {1, {PC + 64}, {SP}, 1, false}, 1, 1},
	  {ENTER, {0, {PC}, {INNER}, 0, false}, 0, 0},
	  {LEAVE, {0, {PC}, {INNER}, 3, false}, 0, 3}}},
	{"another call of the frame: the first is over",
	 {{ENTER, {0, {PC}, {SP}, 0, false}, 0, 0},
	  {LEAVE, {0, {PC}, {SP}, -512, false}, NONE, 0},
	  {ENTER, {1, {PC}, {SP}, 0, false}, 1, 0},
	  {LEAVE, {1, {PC}, {SP}, 1, false}, 1, 1},
	  {ENTER, {0, {PC}, {SP}, 0, false}, 0, 0}}},
	{"a handler returns to the same place of another frame",
	 {{ENTER, {0, {PC}, {SP}, 0, false}, 0, 0},
	  {LEAVE, {0, {PC}, {SP}, -512, false}, NONE, 0},
	  {ENTER,
	   {SYS_rt_sigreturn, {PC + 96}, {INNER}, 0, false},
	   SYS_rt_sigreturn,
	   0},
	  {LEAVE, {-1, {PC}, {SP - 64}, -EINTR, false}, NONE, 0}}},
	{"attached amid a call: its return alone",
	 {{LEAVE, {SYS_futex, {PC}, {SP}, 0, false}, SYS_futex, 0}}},
	{"attached amid a call that is made again",
	 {{FOUND, {SYS_pause, {PC}, {SP}, -514, false}, NONE, 0},
	  {ENTER, {SYS_pause, {PC}, {SP}, 0, false}, NONE, 0},
	  {LEAVE, {SYS_pause, {PC}, {SP}, 0, false}, SYS_pause, 0}}},
	{"attached amid a sleep",
	 {{FOUND, {SYS_nanosleep, {PC}, {SP}, -516, false}, NONE, 0},
	  {ENTER, {SYS_restart_syscall, {PC}, {SP}, 0, false}, NONE, 0},
	  {LEAVE, {SYS_restart_syscall, {PC}, {SP}, 0, false}, SYS_nanosleep, 0}}},
	{"attached between calls",
	 {{FOUND, {-1, {PC}, {SP}, -514, false}, NONE, 0},
	  {ENTER, {SYS_pause, {PC}, {SP}, 0, false}, SYS_pause, 0}}},
	{"execve: told at the event",
	 {{ENTER, {SYS_execve, {PC}, {SP}, 0, false}, SYS_execve, 0},
	  {EXEC, {SYS_execve, {PC}, {SP}, 0, false}, NONE, 0},
	  {LEAVE, {SYS_execve, {0x9000}, {0x9000}, 0, false}, NONE, 0},
	  {ENTER, {1, {0x9000}, {0x9000}, 0, false}, 1, 0}}},
	{"the same, held before the exit",
	 {{ENTER, {SYS_execve, {PC}, {SP}, 0, false}, SYS_execve, 0},
	  {EXEC, {SYS_execve, {PC}, {SP}, 0, false}, NONE, 0},
	  {ENTER, {1, {0x9000}, {0x9000}, 0, false}, 1, 0},
	  {LEAVE, {1, {0x9000}, {0x9000}, 4, false}, 1, 4}}},
	{"an exit that was not seen",
	 {{ENTER, {1, {PC}, {SP}, 0, false}, 1, 0},
	  {ENTER, {0, {PC}, {SP}, 0, false}, 0, 0},
	  {LEAVE, {0, {PC}, {SP}, 9, false}, 0, 9}}},
};

static int take(struct syscalls *c, const struct step *s, int64_t *result)
{
	switch (s->what) {
	case ENTER:
		return syscalls_enter(c, &s->stop);
	case LEAVE:
		return syscalls_leave(c, &s->stop, result);
	case FOUND:
		syscalls_found(c, &s->stop);
		return NONE;
	default:
		syscalls_exec(c, &s->stop);
		return NONE;
	}
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct syscalls c = {0};

		for (int k = 0; k < MAX_STEPS && cases[i].steps[k].stop.pc.v; k++) {
			const struct step *s = &cases[i].steps[k];
			int64_t result = 0;
			int told = take(&c, s, &result);

			if (told != s->told || result != s->result)
				fail_msg("%s, stop %d: %d with %lld", cases[i].name, k,
					 told, (long long)result);
		}
	}
}

/* Handlers interrupted by handlers: the outermost calls are forgotten. */
static void test_depth(void **state)
{
	struct syscalls c = {0};
	struct syscalls_stop s = {0, {PC}, {SP}, -512, false};
	int64_t result;

	(void)state;
	for (uint64_t i = 0; i < 2 * SYSCALLS_DEPTH; i++) {
		s.sp.v = SP - i * 256;
		assert_int_equal(syscalls_enter(&c, &s), 0);
		assert_int_equal(syscalls_leave(&c, &s, &result), NONE);
		assert_true(c.depth <= SYSCALLS_DEPTH);
	}
	for (uint64_t i = 0; i < SYSCALLS_DEPTH; i++, s.sp.v += 256) {
		struct syscalls_stop back = {-1, s.pc, s.sp, -EINTR, false};
		struct syscalls_stop enter = {
			SYS_rt_sigreturn, {PC}, {s.sp.v - 64}, 0, false};

		syscalls_enter(&c, &enter);
		if (i < SYSCALLS_DEPTH - 1)
			assert_int_equal(syscalls_leave(&c, &back, &result), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
