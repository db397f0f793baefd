/* SPDX-License-Identifier: MIT */
/*
 * Private to hook/: room for the islands of short jumps, within their reach: in
 * padding after a function, or inside one if all of its jumps are known; else in place
 * of instructions of such a function.
 *
 *	| function ... ret | nop nop nop nop nop nop | function
 *	                     ^ gap: from where a body ends that never runs on
 */
#ifndef HOOK_ISLANDS_H
#define HOOK_ISLANDS_H

#include "hook/plan.h"

/*
 * The island of p->plan, a punned jump that has been planned but for that: false when
 * another plan uses its bytes, or those that the jump holds. Takes both.
 */
bool islands_take_pun(const struct planning *p);

/* What of one function may be room. */
struct island_rooms {
	struct {
		struct addr_range *data; /* vec; ascending */
		size_t len, cap;
	} busy,	      /* bytes that something is wanted at, or that plans hold */
		runs; /* of padding after instructions that never go on */
	struct {
		taddr *data; /* vec; ascending: where instructions begin */
		size_t len, cap;
	} starts;
};

/* Reads the function; busy must be filled in. */
void island_rooms_read(struct island_rooms *r, const struct planning *p);
void island_rooms_release(struct island_rooms *r);

/*
 * An island for p->plan, which has been planned but for that: false when there is no
 * room. Takes it.
 */
bool islands_find(const struct planning *p, const struct island_rooms *rooms);

#endif
