/* SPDX-License-Identifier: MIT */
/*
 * snapshot(): what the flight recorder holds (bufpolicy=ring, -E FILE), at once, to
 * FILE.1, FILE.2 ..., while the targets go on.
 *
 *	the machine	a firing calls snapshot(): state_snapshots() of its block grows
 *	the loop	sees that: snapshots_serve()
 *	ring_look()	copies the records of all rings, which stay there
 *	the recorder	writes them: recorder_snapshot_begin()
 *
 * Calls that come while one is written have one snapshot together, the next.
 */
#ifndef TRACER_RECORDING_SNAPSHOT_SNAPSHOTS_H
#define TRACER_RECORDING_SNAPSHOT_SNAPSHOTS_H

#include "tracer/base/core.h"
#include "tracer/trust/record_check.h"

struct snapshots;

/*
 * NULL without an error: no clause of the program calls snapshot(). An error: one does,
 * where there is no flight recorder, or a file is in the way.
 */
int snapshots_new(const struct tracer *t, const struct record_check_config *check,
		  struct snapshots **out, struct err *e);
/* s may be NULL, here and below. */
void snapshots_free(struct snapshots *s);

/*
 * When the next one is due: as soon as clauses have called snapshot() since the last, but
 * 10 ms after that. UINT64_MAX: they have not.
 */
uint64_t snapshots_wakeup(const struct snapshots *s);
/* Writes it if that time has come. What cannot be written is said. */
void snapshots_serve(struct snapshots *s, uint64_t now_ns);

#endif
