/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/sites/stale.h"
#include "tracer/keeper/inject/trap_handler.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/sites/stale_run.h"
#include "tracer/keeper/threads/thread_stop.h"
#include "vm/base/host/oom.h"

#include <stddef.h>
#include <stdlib.h>

/*
 * For all text: a hostile process can have any log. A large one of ours takes less; and
 * while a part of one is left, so is its handler.
 */
#define TEXT_MS 1000
/* For all threads to leave memory of ours: each may wait for a processor. */
#define LEAVE_MS 2000
#define TRIES	 3 /* at stopping all threads, where processors are busy */

static bool is_log(struct stale *s, const struct procfs_area *a)
{
	s->at = a->range.lo;
	return a->kind == AREA_UNDO_LOG &&
	       a->range.hi.v - a->range.lo.v >= UNDO_HEAD_BYTES &&
	       mem_read(s->mem, s->at, &s->head, sizeof(s->head)) == 0 &&
	       s->head.magic == UNDO_MAGIC && s->head.version == UNDO_VERSION &&
	       s->head.bytes == sizeof(s->head) && s->head.nparts <= UNDO_PARTS_MAX &&
	       s->head.nmemory <= UNDO_MEMORY_MAX &&
	       s->head.nsemaphores <= UNDO_SEMAPHORES;
}

/* Memory of the process alone, with no file. */
static bool is_private(const struct stale *s, taddr at, bool is_executable)
{
	const struct procfs_area *a = procfs_maps_find(&s->maps, at);

	return a && a->kind == AREA_PLAIN && !a->is_file && !a->is_shared &&
	       (is_executable ? a->is_executable : a->is_writable) &&
	       a->range.hi.v - at.v >= UNDO_PAGE;
}

/* The word of the handler's page by which it finds its log. */
static taddr log_word(const struct stale *s)
{
	return taddr_of(s->head.text + offsetof(struct trap_text, log));
}

/*
 * A server maps files that its clients give it, under any name and with anything in them.
 * But only the process itself, or a keeper, can have made code in private memory that
 * names this log: its word is that of the process.
 */
static bool is_known(const struct stale *s)
{
	const taddr text = taddr_of(s->head.text);
	struct trap_text found;

	return s->head.text % UNDO_PAGE == 0 && is_private(s, text, true) &&
	       is_private(s, taddr_add(text, UNDO_PAGE), false) &&
	       mem_read(s->mem, text, &found, sizeof(found)) == 0 &&
	       found.magic == TRAP_MAGIC && found.version == TRAP_VERSION &&
	       found.log == s->at.v;
}

/* Once: while memory stays, so does the log. */
static void lower_stale_semaphores(const struct stale *s)
{
	const taddr at =
		taddr_of(s->head.text + offsetof(struct trap_text, is_lowered));
	undo_semaphore *all = oom_realloc(NULL, UNDO_SEMAPHORES * sizeof(*all));
	uint32_t n = s->head.nsemaphores, is_lowered = 1;

	if (mem_read(s->mem, at, &is_lowered, sizeof(is_lowered)) < 0 || is_lowered ||
	    mem_read(s->mem, taddr_add(s->at, (int64_t)UNDO_SEMAPHORES_AT), all,
		     n * sizeof(*all)) < 0 ||
	    mem_write(s->mem, at, &(uint32_t){1}, sizeof(is_lowered)) < 0)
		n = 0;
	for (uint32_t i = 0; i < n; i++)
		semaphores_lower_one(s->mem, &s->maps, taddr_of(all[i]));
	free(all);
}

/* Whether all of it is mapped, and may be ours: no code, data or stack of a program. */
static bool can_be_ours(const struct stale *s, const struct undo_memory *m)
{
	const uint64_t end = m->at + m->size;
	const struct procfs_area *a;

	if (!m->size || (m->at | m->size) % UNDO_PAGE || end < m->at)
		return false;
	for (uint64_t at = m->at; at < end; at = a->range.hi.v) {
		a = procfs_maps_find(&s->maps, taddr_of(at));
		if (!a || (a->kind != AREA_PLAIN && a->kind != AREA_UNDO_LOG) ||
		    (a->is_file && !a->is_shared))
			return false;
	}
	return true;
}

static void read_memory(struct stale *s)
{
	const uint64_t bytes = s->head.nmemory * sizeof(*s->memory);
	uint32_t n = s->head.nmemory;

	s->memory = oom_realloc(NULL, bytes + 1);
	s->nmemory = 0;
	if (mem_read(s->mem, taddr_add(s->at, UNDO_MEMORY_AT), s->memory, bytes) < 0)
		n = 0;
	s->around = (struct addr_range){{UINT64_MAX}, {0}};
	for (uint32_t i = 0; i < n && !stale_is_late(s); i++) {
		const struct undo_memory m = s->memory[i];

		if (!can_be_ours(s, &m))
			continue;
		s->memory[s->nmemory++] = m;
		s->around.lo.v = min_u64(s->around.lo.v, m.at);
		s->around.hi.v = max_u64(s->around.hi.v, m.at + m.size);
	}
}

static void clear_stale_bases(const struct stale *s)
{
	for (size_t i = 0; s->head.leave_trap && i < s->all.threads.len; i++)
		if (s->all.threads.data[i].tid && !s->all.threads.data[i].is_asleep)
			thread_slots_clear_base(s->all.threads.data[i].tid);
}

/*
 * If this keeper is killed in between, the program may map its own memory where some of
 * ours was: the log is not known any more by then.
 */
static void unmap_stale(struct stale *s, struct thread_stop *q)
{
	static const uint64_t none;
	struct remote_call r;

	if (remote_call_begin(&r, &s->k->waits, q->task, s->mem) < 0)
		return;
	trap_handler_put_back(&r, taddr_of(s->head.text + UNDO_PAGE),
			      s->head.ours.handler, &s->head.own);
	if (mem_write(s->mem, log_word(s), &none, sizeof(none)) == 0)
		for (uint32_t i = s->nmemory; i-- > 0;)
			remote_call_unmap(&r, taddr_of(s->memory[i].at),
					  s->memory[i].size);
	remote_call_end(&r, &q->status);
	s->self_status = 0;
}

static void restore_one(struct stale *s, struct thread_stop *q)
{
	bool is_whole;

	s->is_left = false;
	stale_restore_text(s);
	lower_stale_semaphores(s);
	read_memory(s);
	is_whole = !s->is_left && !stale_is_late(s);
	if (stale_free_memory(s) && is_whole) {
		clear_stale_bases(s);
		unmap_stale(s, q);
	}
	free(s->memory);
	s->memory = NULL;
}

static int restore_stale(struct stale *s, struct thread_stop *q)
{
	int status = all_stop_begin(&s->all, s->k, q->task, s->process->space);

	s->deadline = deadline_in(TEXT_MS);
	s->leaving = deadline_in(LEAVE_MS);
	for (size_t i = 0; i < s->maps.len && !status && !stale_is_late(s); i++)
		if (is_log(s, &s->maps.data[i]) && is_known(s))
			restore_one(s, q);
	if (s->self_status)
		q->status = s->self_status;
	if (!status)
		all_stop_end(&s->all);
	return status;
}

static bool has_log(const struct procfs_maps *maps)
{
	for (size_t i = 0; i < maps->len; i++)
		if (maps->data[i].kind == AREA_UNDO_LOG)
			return true;
	return false;
}

static int restore_process_once(struct keeper *k, struct process *p)
{
	struct stale s = {.k = k,
			  .process = p,
			  .mem = p->space->mem,
			  .file.pid = process_living_tid(p)};
	struct thread_stop q;
	int status = procfs_maps(s.file.pid, &s.maps);

	if (!status && has_log(&s.maps)) {
		status = thread_stop_begin(k, p, &q);
		if (!status) {
			if (q.task->process->space->mem == s.mem)
				status = restore_stale(&s, &q);
			thread_stop_end(k, &q);
		}
	}
	file_text_release(&s.file);
	procfs_maps_release(&s.maps);
	return status;
}

int stale_restore(struct keeper *k, int pid)
{
	int status = STATUS_BUSY;

	for (int i = 0; i < TRIES && status == STATUS_BUSY; i++) {
		struct process *p = process_find(&k->tasks, pid);

		status = p ? restore_process_once(k, p) : STATUS_GONE;
	}
	return status;
}
