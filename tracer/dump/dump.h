/* SPDX-License-Identifier: MIT */
/*
 * dump(): cores of processes.
 *
 *	the keeper	copies the process at the probe: KEEPER_EV_COPY
 *	the consumer	comes to the record, opens the file: dumps_want()
 *	a thread	writes the core from the copy, when both are there
 *	the loop	sees that it is done, and has the copy killed: dumps_turn()
 */
#ifndef TRACER_DUMP_DUMP_H
#define TRACER_DUMP_DUMP_H

#include "tracer/base/link.h"
#include "tracer/dump/core_out.h"
#include "tracer/output/out.h"

struct dumps;

/* Both are borrowed. */
struct dumps *dumps_new(struct link *link, struct out *out);
void dumps_free(struct dumps *d);

/*
 * The core of the copy of this number goes to out, which is ours now. context and path
 * begin the message if that fails. False: one of that number is already wanted.
 */
bool dumps_want(struct dumps *d, uint64_t number, struct core_out out,
		const char *context, const char *path);
/* The copy of this number is not needed. */
void dumps_drop(struct dumps *d, uint64_t number);
/* KEEPER_EV_COPY, with its descriptors. */
void dumps_event(struct dumps *d, const struct link_message *event);
/* Ends what is done, and reports failures. Whether all is. */
bool dumps_turn(struct dumps *d);
/*
 * Waits until all cores are written that are wanted. Those that do not get on are given
 * up, all of them by an impatient user (AWAITED_DUMPS).
 */
void dumps_finish(struct dumps *d);

#endif
