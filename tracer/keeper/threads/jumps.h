/* SPDX-License-Identifier: MIT */
/*
 * Hooking sites by jumps and undoing that. All of it happens in a standstill of
 * every thread that shares the memory; stubs, lists and gates are in place before the
 * text changes, switches turned on last. What cannot be hooked says why and is left
 * to a breakpoint.
 */
#ifndef TRACER_KEEPER_THREADS_JUMPS_H
#define TRACER_KEEPER_THREADS_JUMPS_H

#include "tracer/keeper/fire/core.h"
#include "tracer/keeper/space/hooks.h"

/* A probe at one of its sites. */
struct jump_probe {
	uint64_t addr;
	struct bpt_hit hit; /* next is unused */
};

struct jump {
	struct hook_plan plan;
	const struct jump_probe *probes; /* nprobes of them, in firing order */
	uint32_t nprobes;
	bool is_joining;	   /* it is hooked: number; only the probes are new */
	enum keeper_reason reason; /* NONE: hooked. Preset: leave it out */
	uint32_t number;	   /* of its hook */
};

struct jumps {
	struct jump *data; /* ascending by site, apart */
	size_t len, cap;
};

/* For a listing, before anything is set: what would forbid jumps in the process. */
enum keeper_reason jumps_refusal(struct keeper *k, struct process *p);
/* Hooks what can be hooked; the others have a reason. STATUS_GONE: the process died. */
int jumps_set(struct keeper *k, struct process *p, struct jumps *list);

/*
 * Undoes hooks, by number, with everything stopped: breakpoints take over, in
 * the same standstill. Their sites must be known to bpt_find() already, with all
 * hits, and have their copies. STATUS_BUSY: not all could be stopped, the hooks
 * stay.
 */
struct jumps_undo {
	struct keeper *k;
	struct space *space;
	struct task *self; /* stopped already; NULL: none */
	const uint32_t *numbers;
	size_t n;
};
int jumps_undo(const struct jumps_undo *u);
/*
 * The breakpoint sites of a hook, with all its hits, appended to out by index; false
 * when one cannot be: then nothing was added.
 */
bool jumps_make_sites(struct space *s, const struct hook *hook, struct bpt_list *out);

/*
 * Rows that came when the process had resident code already. On failure stacks
 * through those modules are followed by frame pointers there.
 */
void jumps_add_rows(struct keeper *k, struct process *p);

#endif
