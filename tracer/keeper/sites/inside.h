/* SPDX-License-Identifier: MIT */
/*
 * Threads inside bytes that requests for detours take over, in an all-stop: those that
 * are there are moved into the stub, and where one will return to there is no detour.
 */
#ifndef TRACER_KEEPER_SITES_INSIDE_H
#define TRACER_KEEPER_SITES_INSIDE_H

#include "tracer/keeper/sites/detour_request.h"
#include "tracer/keeper/space/detours.h"
#include "tracer/keeper/threads/all_stop.h"

/* An island of a request. */
struct inside_island {
	uint64_t at;
	struct detour_request *by;
};

struct inside {
	const struct detour_requests *list; /* the requests themselves may change */
	struct {
		struct inside_island *data; /* ascending */
		size_t len, cap;
	} islands;
	struct {
		struct all_stop_thread **data; /* whose pc is inside of such bytes */
		size_t len, cap;
	} threads;
};

/* The list, and the all-stop, must live as long. */
void inside_init(struct inside *x, const struct detour_requests *list,
		 const struct all_stop *all);
void inside_release(struct inside *x);
/*
 * Refuses requests inside whose bytes a thread may go on after a signal handler: a word
 * of its stack says so.
 */
void inside_refuse_frames(const struct inside *x, const struct all_stop *all, int mem);
/* Whether all threads inside of the detour's bytes can go on in its stub, or none is. */
bool inside_can_move(const struct inside *x, const struct detour *detour);
/* Moves them there. The stub has been built. */
void inside_move(const struct inside *x, const struct detour *detour);

#endif
