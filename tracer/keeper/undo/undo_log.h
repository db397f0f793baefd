/* SPDX-License-Identifier: MIT */
/*
 * The keeper's side of hook/undo_log.h: what of ours is in a space, written where its
 * SIGTRAP handler and the next run will find it. inject/trap_handler.h maps it into the
 * process. Functions that note something do nothing for a log that is not there, or has
 * no room for it.
 */
#ifndef TRACER_KEEPER_UNDO_UNDO_LOG_H
#define TRACER_KEEPER_UNDO_UNDO_LOG_H

#include "hook/undo_log.h"
#include "vm/base/taddr.h"

#include <stdatomic.h>

struct undo_log {
	struct undo_head *head; /* our mapping; NULL: there is none */
	void *parts[UNDO_PARTS_MAX];
	bool is_refused;    /* it cannot be had, or is not needed */
	bool is_due;	    /* the handler is to be looked after, at some stop */
	taddr text;	    /* in the process: text page, then scratch page */
	taddr at;	    /* there: of head */
	uint64_t looked_ns; /* when it was last seen that SIGTRAP has a handler */
	uint64_t armed_ns;  /* when it was ours */
};

#define UNDO_TEXT_BYTES (2 * (uint64_t)UNDO_PAGE)

static inline taddr undo_log_scratch(const struct undo_log *log)
{
	return taddr_add(log->text, UNDO_PAGE);
}

/*
 * Makes the file of a new log, mapped for us and sealed: its descriptor, the caller's; or
 * negative. The process maps it afterwards.
 */
int undo_log_new(struct undo_log *log);
/* The same for a part with room for this number and all below it. */
int undo_log_new_part(struct undo_log *log, enum undo_kind kind, uint32_t number);
/* The part of the last undo_log_new_part() is mapped at this address, and in use. */
void undo_log_add_part(struct undo_log *log, taddr at);
void undo_log_release(struct undo_log *log);

/* What the process has mapped for the log and its handler. */
void undo_log_each_memory(const struct undo_log *log,
			  void (*each)(void *ctx, taddr lo, uint64_t size), void *ctx);

/* Whether there is room for n entries of the kind, with the numbers 0 to n - 1. */
bool undo_log_has_room(const struct undo_log *log, enum undo_kind kind, uint32_t n);

/* Notes the site with this number as it is now; at 0: it has gone. */
void undo_log_note_site(const struct undo_log *log, uint32_t number,
			const struct undo_site *site);
/* Notes bytes of a detour, before they are written; n 0: there are none. */
void undo_log_note_patch(const struct undo_log *log, uint32_t number,
			 const struct undo_patch *patch);
/* Notes the memory with this number; size 0: there is none. */
void undo_log_note_memory(const struct undo_log *log, size_t number, taddr lo,
			  uint64_t size);
/* Notes the semaphore with this number; at 0: it is lowered. */
void undo_log_note_semaphore(const struct undo_log *log, size_t number, taddr at);
/* How many numbers of semaphores have been used. */
size_t undo_log_nsemaphores(const struct undo_log *log);

/* Notes the pc after resident code's int3. */
void undo_log_note_trap(const struct undo_log *log, uint64_t pc);

/* Before the stopped thread is moved to pc; sp 0: any (struct undo_mark). */
static inline void undo_log_mark(const struct undo_log *log, uint64_t pc, uint64_t sp)
{
	if (!log->head)
		return;
	atomic_store_explicit(&log->head->mark.sp, sp, memory_order_relaxed);
	atomic_store_explicit(&log->head->mark.pc, pc, memory_order_relaxed);
}

/* It has gone on from there. */
static inline void undo_log_unmark(const struct undo_log *log)
{
	if (log->head)
		atomic_store_explicit(&log->head->mark.pc, 0, memory_order_relaxed);
}

#endif
