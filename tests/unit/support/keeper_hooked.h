/* SPDX-License-Identifier: MIT */
/*
 * Functions that jumps detour in each of the ways, and their plans; for the tests of
 * the keeper.
 */
#ifndef TESTS_UNIT_SUPPORT_KEEPER_HOOKED_H
#define TESTS_UNIT_SUPPORT_KEEPER_HOOKED_H

#include "hook/target.h"
#include "tests/unit/support/keeper_target.h"

#include <asm/prctl.h>
#include <sys/syscall.h>

#define SLOTS 132 /* 65 threads at a time */

/*
 * The hooked functions: instructions that are moved in each of the ways, a retargeted
 * call, short jumps to islands in padding, in the place of instructions, and there
 * with a distance that is given, a punned jump, and chained ones.
 */
long hook_work(long v);
long hook_load(long v);
long hook_callee(long v);
long hook_call(long v);
long hook_fault(long *p);
long hook_spin(char *to, long n);
long hook_brief(long v);
long hook_host(long v, const long *p);
long hook_given(long v);
long hook_pun(long n, const char *p);
long hook_chain(long n, const char *p);
extern char hook_begin[], hook_work_add[], hook_callee_ret[], hook_work_end[],
	hook_load_end[], hook_callee_end[], hook_call_end[], hook_fault_end[],
	hook_spin_end[], hook_brief_end[], hook_host_load[], hook_host_end[],
	hook_given_end[], hook_pun_load[], hook_pun_end[], hook_chain_load[],
	hook_chain_end[], hook_end[];

enum {
	WORK,
	LOAD,
	CALL,
	CALLEE,
	FAULT,
	SPIN,
	BRIEF,
	HOST,
	GIVEN,
	PUN,
	CHAIN,
	NFUNCTIONS
};

extern const struct function {
	void *lo;
	char *hi;
} functions[NFUNCTIONS];

extern struct hook_plan plans[NFUNCTIONS];

taddr address(const void *p);

/*
 * A target of which plans are made. In here: words of them may be left on the stack,
 * and those in the frames of a test, which the target has a copy of, would be telling.
 */
pid_t planned(int (*body)(void));

/* What the hits of jumps do is known after the first ones. */
int set_up_quick(void **state);

int tear_down_quick(void **state);

/* They are made by light routines. */
int set_up_light(void **state);

int tear_down_light(void **state);

#define ENTRY(function, number)                                                        \
	{                                                                              \
		.at = functions[function].lo, .probe = number,                         \
		.kind = KEEPER_SITE_ENTRY, .plan = &plans[function]                    \
	}

/* Hooks every function's entry; the probe is the function's number. */
void hook_all(struct front *f, pid_t pid);

void work_all(void);

int body_thousand(void);

/* A front that has hooked all functions of the target. */
struct front *hooked(pid_t pid);

uint64_t gs_base(void);

#endif
