/* SPDX-License-Identifier: MIT */
/*
 * Many small pieces that adjoin are written into a process's memory as one: each write of
 * fresh memory may cost a helper thread (vm/base/proc/procmem.h).
 */
#ifndef TRACER_KEEPER_OS_WRITE_RUN_H
#define TRACER_KEEPER_OS_WRITE_RUN_H

#include "vm/base/taddr.h"

/* With mem set and the rest zero: empty. */
struct write_run {
	int mem; /* of mem_open() */
	taddr lo;
	uint8_t *data; /* not yet written */
	size_t len;
};

/*
 * Adds n bytes, at most 4096, for this address. What the run holds is written first if
 * they do not adjoin it, or it is full: 0, or the status of that write.
 */
int write_run_add(struct write_run *r, taddr at, const void *bytes, size_t n);
/* Writes what the run holds, and empties it. */
int write_run_flush(struct write_run *r);
void write_run_release(struct write_run *r);

#endif
