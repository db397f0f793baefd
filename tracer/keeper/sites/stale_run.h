/* SPDX-License-Identifier: MIT */
/*
 * One restoration of a process in which a killed run has left something (stale.h). All
 * threads are stopped.
 */
#ifndef TRACER_KEEPER_SITES_STALE_RUN_H
#define TRACER_KEEPER_SITES_STALE_RUN_H

#include "tracer/keeper/os/deadline.h"
#include "tracer/keeper/os/file_text.h"
#include "tracer/keeper/threads/all_stop.h"
#include "tracer/keeper/threads/core.h"

/* What waitpid(2) says of a thread that has trapped, and of one that was interrupted. */
#define STALE_TRAPPED	  (SIGTRAP << 8 | 0x7f)
#define STALE_INTERRUPTED ((PT_EVENT_STOP << 8 | SIGTRAP) << 8 | 0x7f)

struct stale {
	struct keeper *k;
	struct process *process;
	int mem;
	struct procfs_maps maps;
	struct all_stop all;
	struct undo_head head; /* a copy */
	taddr at;	       /* of the log */
	struct undo_memory *memory;
	uint32_t nmemory;
	struct addr_range around; /* all of that memory */
	struct file_text file;
	/* For all text, and for threads that leave memory of ours. */
	struct deadline deadline, leaving;
	bool is_left;	 /* some code has bytes of ours that nothing proves */
	int self_status; /* of the thread that makes the calls, if it has gone on; or 0 */
};

static inline bool stale_is_late(struct stale *s)
{
	return !deadline_left(&s->deadline);
}

/* stale_text.c: the program's own bytes, of all parts of the log. */
void stale_restore_text(struct stale *s);
/* stale_threads.c: takes the threads out of that memory. False: some are in there. */
bool stale_free_memory(struct stale *s);

#endif
