/* SPDX-License-Identifier: MIT */
/*
 * One image twice: in the reference vm_fire() interprets its clauses, beside it their
 * routine runs (vm/native.h). Both get the same firings and events, and must then be the
 * same: variables, aggregations, records, drops, clock. The test stays on one processor,
 * whose number is in the records.
 */
#ifndef TESTS_UNIT_SUPPORT_NATIVE_PAIR_H
#define TESTS_UNIT_SUPPORT_NATIVE_PAIR_H

#include "tests/unit/support/block_read.h"
#include "tests/unit/support/light_run.h"
#include "tests/unit/support/vm_image.h"
#include "vm/base/probe_operand.h"

/* All clauses of the image are enabled on each probe; the probes' names differ. */
#define NATIVE_PAIR_PROBES  2
#define NATIVE_PAIR_THREADS 2
#define NATIVE_PAIR_ARGS    6

struct native_pair_firing {
	uint32_t probe, thread; /* below the limits above */
	bool is_return;		/* args: the offset and two results */
	bool is_interpreted;	/* on both sides, as beside other probes at a site */
	/*
	 * 1 + the number of a set of operands: the site has a note, and args are what
	 * an entry has in its registers. The probe is that of the set.
	 */
	uint32_t operands;
	uint64_t args[NATIVE_PAIR_ARGS];
};

/* What may come between two firings. */
enum native_pair_event {
	PAIR_CLEAR, /* which: the aggregation */
	PAIR_TRUNC,
	PAIR_REMOVE,   /* its first element of each slot */
	PAIR_REMOVING, /* the same, but the consumer has not told of it yet */
	PAIR_KEEP,     /* which: the thread, whose shard counts no more */
	PAIR_THREAD_ENDS,
	PAIR_RENEW,
	PAIR_OWN_TIME, /* which: 0: timestamp is the clock's again */
	PAIR_READ,     /* which: the thread, all of whose records are read */
	PAIR_SLEEP,    /* the consumer: who fills a buffer calls it */
	PAIR_EVENTS
};

struct native_pair;

/* Frees the builder, whose image must be verified. config NULL: that of a rig. */
struct native_pair *native_pair_new(struct builder *b,
				    const struct state_config *config);
/* The same of an image, which is the pair's then. */
struct native_pair *native_pair_of(void *image, size_t size,
				   const struct state_config *config);
/* The same, with sets of operands, which stay the caller's. */
struct native_pair *native_pair_noted(void *image, size_t size,
				      const struct state_config *config,
				      const struct probe_operands *sets, uint32_t n);
bool native_pair_has_routine(const struct native_pair *p, bool is_return);
bool native_pair_has_light(const struct native_pair *p, bool is_return);
/* The offset of the light routine of this set of operands; 0: there is none. */
uint32_t native_pair_noted_light(const struct native_pair *p, uint32_t set);
/* How many firings light routines have made alone. */
uint32_t native_pair_finished(const struct native_pair *p);
void native_pair_fire(struct native_pair *p, const struct native_pair_firing *f);
void native_pair_event(struct native_pair *p, enum native_pair_event e, uint32_t which);
uint32_t native_pair_cpu(void);
/* What differs, or NULL. */
const char *native_pair_difference(const struct native_pair *p);
/* Of both, one after the other. */
struct state *native_pair_state(struct native_pair *p, bool is_native);
void native_pair_free(struct native_pair *p);

#endif
