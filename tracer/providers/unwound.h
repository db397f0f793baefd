/* SPDX-License-Identifier: MIT */
/*
 * Probes that fire when a frame is left without a return, for the pid and fpid providers:
 *
 *	pid123 : a.out : f : unwound	by an exception, a longjmp(), the end of a thread
 *
 * They have no site of their own. The keeper sees at a few instructions of the process
 * which part of the stack is given up (enum keeper_leave), and knows the functions of the
 * frames there.
 */
#ifndef TRACER_PROVIDERS_UNWOUND_H
#define TRACER_PROVIDERS_UNWOUND_H

#include "tracer/targets/target.h"

#define UNWOUND_NAME "unwound"

/* Whether a name field asks for them. An empty one, or a glob, does not. */
bool unwound_is_name(const char *name);

/* A function whose frames fire the probe. */
struct unwound_function {
	uint32_t probe; /* id */
	taddr lo;
	const struct addr_range *ranges;
	size_t nranges;
};
void unwound_add(struct target *target, const struct unwound_function *f);

/*
 * Sets sites where code of the object, or of all objects that the target has now, leaves
 * frames. Reads their symbols. Does nothing in a listing, or a second time.
 */
void unwound_watch(struct tracer *t, struct target *target, struct module *m);
void unwound_watch_all(struct tracer *t, struct target *target);

/* before_sending() of the provider: tells the keeper of functions that were added. */
void unwound_send(struct tracer *t, struct target *target);

#endif
