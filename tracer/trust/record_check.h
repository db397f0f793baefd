/* SPDX-License-Identifier: MIT */
/*
 * Decides whether a record is accepted. A traced process can write anything into its own
 * buffers, so that a record lies there proves nothing: only what a clause that can run in
 * that place would have written is believed. What is rejected is counted, not printed.
 *
 * A record is accepted when all of this is true:
 *
 *	its probe exists, and can fire in the execution context and process that own the
 *	slot; its clause is enabled on that probe, under that epid, and can run there;
 *	its process and thread are those of the slot, as far as they are known;
 *	its items are what one run of the clause can leave, in that order;
 *	a stack or symbol in it is of the process that recorded it;
 *	it belongs to, or ends, a speculation only if the clause can do that;
 *	a fault is one that exists, at an instruction of the clause.
 *
 * So an action that only dtrace may do (system(), freopen(), exit() ...) is taken from a
 * process only where a clause with this action can run in that process.
 */
#ifndef TRACER_TRUST_RECORD_CHECK_H
#define TRACER_TRUST_RECORD_CHECK_H

#include "tracer/base/probe.h"
#include "vm/agg.h"
#include "vm/program.h"
#include "vm/record.h"

/* Who writes to a slot. */
struct record_origin {
	enum exec_context context; /* one bit */
	uint32_t pid;		   /* of CONTEXT_RESIDENT: the process; 0: not known */
	uint32_t tid;		   /* the same for the thread */
};

struct record_check_config {
	const void *image;	     /* borrowed, verified */
	const struct probes *probes; /* borrowed */
	/*
	 * Whether the probe can fire inside the process, which may have ended. Only asked
	 * for CONTEXT_RESIDENT; an answer of true is kept. NULL: always.
	 */
	bool (*fires_inside)(void *ctx, uint32_t pid, const struct probe *p);
	uint64_t (*now)(void *ctx); /* CLOCK_MONOTONIC, ns; NULL: the clock itself */
	void *ctx;
};

struct record_check;

struct record_check *record_check_new(const struct record_check_config *config);
void record_check_free(struct record_check *c);

/*
 * Whether the record, whose sizes were checked (ring_peek()), is accepted. Its time is
 * made one that can be true: not before *last, the time of the slot's record before it,
 * and not in the future. The clocks of a time namespace differ, so a wrong time alone
 * does not reject a record; *last becomes its time.
 */
bool record_check_accepts(struct record_check *c, const struct record_origin *from,
			  struct record *r, uint64_t *last);

/*
 * The same at once for most good records, of which the size alone was checked. False: it
 * is to be checked in full, by ring_is_record() and record_check_accepts().
 */
bool record_check_accepts_plain(struct record_check *c,
				const struct record_origin *from, struct record *r,
				uint64_t *last);

/*
 * The same for an element of an aggregation, of a slot of the process: whether a clause
 * that updates the aggregation can run in it, and whether stacks and symbols in the key
 * are of it. The answer for one aggregation and process is found once.
 */
bool record_check_accepts_element(struct record_check *c, uint32_t pid,
				  const struct agg_entry_view *e);

#endif
