/* SPDX-License-Identifier: MIT */
/*
 * Functions that breakpoints are in, for the tests of the keeper.
 */
#ifndef TESTS_UNIT_SUPPORT_KEEPER_TRAPPED_H
#define TESTS_UNIT_SUPPORT_KEEPER_TRAPPED_H

#include "tests/unit/support/keeper_target.h"

#include <sys/time.h>

/*
 * The traced functions, in assembler so that every kind of instruction is
 * under a site: push (emulated or copied), a rip-relative load (copied), ret, a
 * tail call, and a syscall.
 */
long live_work(long v);
long live_load(long v);
long live_tail(long v);
long live_getpid(void);
extern char live_work_ret[], live_work_end[], live_load_ret[], live_load_end[],
	live_tail_jump[], live_tail_end[], live_getpid_call[], live_getpid_end[];

void expect_event(struct front *f, uint32_t type, pid_t pid, struct keeper_msg *m);

#define WORK_ENTRY                                                                     \
	{                                                                              \
		.at = live_work, .probe = 0, .kind = KEEPER_SITE_ENTRY                 \
	}
#define WORK_RETURN                                                                    \
	{                                                                              \
		.at = live_work_ret, .probe = 1, .kind = KEEPER_SITE_RETURN,           \
		.base = live_work,                                                     \
		.size = (uint32_t)(live_work_end - (char *)live_work)                  \
	}
#define LOAD_ENTRY                                                                     \
	{                                                                              \
		.at = live_load, .probe = 2, .kind = KEEPER_SITE_ENTRY                 \
	}

/* The child of a fork: no breakpoint, no scratch memory. */
int fork_child(void);

void start_alarm(void);

/* Threads that work without end, under alarms. */
void *endless_thread(void *arg);

int body_endless(void);

#endif
