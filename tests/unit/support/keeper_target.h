/* SPDX-License-Identifier: MIT */
/*
 * A target for the tests of the keeper: a fork of the test, so the addresses of its
 * functions are known, that runs what it is given and counts for itself.
 *
 * The test that includes this defines what is called: work(v) is v + 1, load(v) is
 * v + 1000.
 */
#ifndef TESTS_UNIT_SUPPORT_KEEPER_TARGET_H
#define TESTS_UNIT_SUPPORT_KEEPER_TARGET_H

#include "tests/unit/support/keeper_front.h"
#include "vm/base/status.h"

#include <pthread.h>
#include <spawn.h>
#include <sys/prctl.h>

extern char **environ;

long work(long v);
long load(long v);

/* ---- in the test ---- */

/* The same test again under another name, in other surroundings. */
#define cmocka_unit_test_as(name, test, setup, teardown)                               \
	{                                                                              \
#name, test, setup, teardown, NULL                                     \
	}

/* Shared with the targets. */
struct shared {
	_Atomic long calls, loads, handled, wrong, inside, calm;
	_Atomic int go, end, ready;
};

extern struct shared *shared;

int set_up(void **state);

int tear_down(void **state);

/* A target: a fork that runs body() once shared->go is set, and its result. */
pid_t target(int (*body)(void));

/* It runs, and its alarms as well. */
void start_under_load(void);

int wait_target(pid_t pid);

/* An endless one ends, and nothing was wrong. */
void end_target(pid_t pid);

/* The target calls its functions still, as soon as it gets its turn. */
void assert_goes_on(void);
/* It calls them n times from now on. */
void assert_calls(long n);

void seize(struct front *f, pid_t pid, uint32_t flags);

void release(struct front *f, pid_t pid);

/* A front of its own that attaches to the target and waits to be killed. */
pid_t doomed_front(pid_t pid, struct front *(*attach)(pid_t pid), pid_t *keeper);

/* ---- what must be left as it was ---- */

#define LOOK_TEXT 4096

struct look {
	const void *from;
	unsigned char text[LOOK_TEXT];
	char *maps; /* executable mappings (data may grow by itself), and all of ours */
};

struct look *look_at(pid_t pid, const void *from);

void look_free(struct look *l);

void assert_looks(pid_t pid, const struct look *before);

/* ---- in the target ---- */

void work_once(void);

void *thread_body(void *arg);

void *brief_thread(void *arg);

/* 16 threads at a time, then 300 one after the other. */
int body_threads(void);

int wait_status(pid_t pid);

/* 30 children that end with child(), which must be 17. */
int fork_often(int (*child)(void));

/* Children in shared memory, that exit or execute. */
int body_vfork(void);

#endif
