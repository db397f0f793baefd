/* SPDX-License-Identifier: MIT */
/*
 * Hooking sites by jumps and undoing that. All of it happens in a all-stop of
 * every thread that shares the memory; stubs, lists and gates are in place before the
 * text changes, switches turned on last. What cannot be hooked says why and is left
 * to a breakpoint.
 */
#ifndef TRACER_KEEPER_THREADS_DETOUR_INSTALL_H
#define TRACER_KEEPER_THREADS_DETOUR_INSTALL_H

#include "tracer/keeper/threads/core.h"
#include "tracer/keeper/space/detours.h"

/* A probe at one of its sites. */
struct detour_probe {
	uint64_t addr;
	struct bpt_hit hit; /* next is unused */
};

struct detour_request {
	struct hook_plan plan;
	const struct detour_probe *probes; /* nprobes of them, in firing order */
	uint32_t nprobes;
	bool is_joining;	   /* it is hooked: number; only the probes are new */
	enum keeper_reason reason; /* NONE: hooked. Preset: leave it out */
	uint32_t number;	   /* of its detour */
};

struct detour_requests {
	struct detour_request *data; /* ascending by site, apart */
	size_t len, cap;
};

/* For a listing, before anything is set: what would forbid jumps in the process. */
enum keeper_reason detour_refusal(struct keeper *k, struct process *p);
/* Hooks what can be hooked; the others have a reason. STATUS_GONE: the process died. */
int detour_install(struct keeper *k, struct process *p, struct detour_requests *list);

/*
 * Undoes detours, by number, with everything stopped: breakpoints take over, in
 * the same all-stop. Their sites must be known to bpt_find() already, with all
 * hits, and have their copies. STATUS_BUSY: not all could be stopped, the detours
 * stay.
 */
struct detour_removal {
	struct keeper *k;
	struct space *space;
	struct task *self; /* stopped already; NULL: none */
	const uint32_t *numbers;
	size_t n;
};
int detour_remove(const struct detour_removal *u);
/*
 * The breakpoint sites of a detour, with all its hits, appended to out by index; false
 * when one cannot be: then nothing was added.
 */
bool detour_make_breakpoints(struct space *s, const struct detour *detour,
			     struct bpt_list *out);

/*
 * Rows that came when the process had resident code already. On failure stacks
 * through those modules are followed by frame pointers there.
 */
void detour_add_rows(struct keeper *k, struct process *p);

#endif
