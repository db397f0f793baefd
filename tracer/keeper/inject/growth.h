/* SPDX-License-Identifier: MIT */
/*
 * How much of the block and of the exchange a process has mapped (pieces.h). A limit of
 * addresses (RLIMIT_AS) counts every page of a mapping, and mlockall(2) fills it, so
 * there is only what is in use, and a little ahead.
 *
 *	tables		for the sites that a request brings, in the all-stop
 *	threads		for new threads, each of which makes the calls before it runs
 *	pool		when a firing took one of the last chunks: the thread comes to
 *			the trap of resident code (vm_env.grow), then makes the call
 *
 * What cannot grow is full: sites get breakpoints, threads pass by, records are dropped,
 * all of which is counted and said as ever.
 */
#ifndef TRACER_KEEPER_INJECT_GROWTH_H
#define TRACER_KEEPER_INJECT_GROWTH_H

#include "tracer/keeper/inject/injection.h"

/* How many elements of each table are to be there. */
struct growth_need {
	uint64_t nsites, nhits, nranges, nshadows;
};

/* What is mapped at first of a block with room for so much, in a process of n threads. */
struct resident_config growth_first(const struct resident_config *all, uint32_t n);
/* The same of the exchange: pairs of slots, and chunks. */
uint32_t growth_first_pairs(const struct state *s, uint32_t n);
uint32_t growth_first_chunks(const struct state *s, uint32_t n);

/* The first n chunks are mapped. */
void growth_open_chunks(const struct injection *in, uint32_t n);

/* In an all-stop. A status: some tables are smaller than asked for. */
int growth_tables(const struct injection *in, const struct growth_need *need);
/* For one more list of modules, and those that follow until they are crowded. */
int growth_modules(const struct injection *in);

/* Whether a thread that needs a TCB finds none, or none with a pair of slots. */
bool growth_needs_threads(const struct detours *d, bool is_inert);
/* Room for n threads more than there are. A status: for fewer. */
int growth_threads(const struct injection *in, uint32_t n);

/*
 * More chunks for the pool, if it needs them. When they cannot be had, no thread asks for
 * more before there are more pairs.
 */
void growth_pool(const struct injection *in);

/* Bytes that the process may still map, if its addresses are limited. */
uint64_t growth_room(const struct injection *in);

#endif
