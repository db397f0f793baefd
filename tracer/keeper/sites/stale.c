/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/sites/stale.h"
#include "tracer/keeper/inject/trap_handler.h"
#include "tracer/keeper/os/deadline.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/threads/all_stop.h"
#include "tracer/keeper/threads/thread_stop.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW	    1024u /* entries that are read at once */
#define STEPS_MAX   4096  /* by which a thread leaves memory of ours */
#define STACK_BYTES 65536u
#define STEP_MS	    20
#define STEP_TURNS  8
/*
 * For everything: a hostile process can have any log. A large one of ours takes less; and
 * while a part of one is left, so is its handler.
 */
#define ALL_MS 1000

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
	struct deadline deadline;
	int self_status; /* of the thread that makes the calls, if it has gone on; or 0 */
};

static bool is_late(struct stale *s)
{
	return !deadline_left(&s->deadline);
}

/* The mapping of a log's file that holds n bytes from at on; or NULL. */
static const struct procfs_area *log_area(const struct stale *s, uint64_t at,
					  uint64_t n)
{
	const struct procfs_area *a = procfs_maps_find(&s->maps, taddr_of(at));

	return a && a->kind == AREA_UNDO_LOG && a->range.hi.v - at >= n ? a : NULL;
}

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

/* Code of the process alone: what is written there changes no file. */
static bool is_code(const struct stale *s, uint64_t at, uint64_t n)
{
	const struct procfs_area *a = procfs_maps_find(&s->maps, taddr_of(at));

	return a && a->is_executable && !a->is_shared && a->kind == AREA_PLAIN &&
	       a->range.hi.v - at >= n;
}

/* Threads at from go on at to. */
static void move_threads(const struct stale *s, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < s->all.threads.len; i++) {
		struct all_stop_thread *t = &s->all.threads.data[i];

		if (t->tid && !t->is_asleep && t->pc.v == from &&
		    pt_set_pc(t->tid, taddr_of(to)) == 0)
			t->pc.v = to;
	}
}

/* Threads that have trapped there, and whose trap is in their stop, run it anew. */
static void take_back_traps(const struct stale *s, uint64_t site)
{
	for (size_t i = 0; i < s->all.threads.len; i++) {
		struct all_stop_thread *t = &s->all.threads.data[i];

		if (!t->tid || t->is_asleep || t->pc.v != site + 1 ||
		    t->status != (SIGTRAP << 8 | 0x7f) ||
		    pt_set_pc(t->tid, taddr_of(site)) < 0)
			continue;
		t->pc.v = site;
		t->status = (PT_EVENT_STOP << 8 | SIGTRAP) << 8 | 0x7f;
	}
}

static void restore_site(const struct stale *s, const struct undo_site *site)
{
	uint8_t now[1 + UNDO_NEXT];

	if (!site->at || !site->is_set || site->nnext > UNDO_NEXT ||
	    !is_code(s, site->at, site->nnext + 1u) ||
	    mem_read(s->mem, taddr_of(site->at), now, site->nnext + 1u) < 0)
		return;
	take_back_traps(s, site->at);
	for (uint32_t i = 0; i < site->nnext; i++)
		if (now[1 + i] != site->next[i] && now[1 + i] != BPT_BYTE)
			return;
	if (now[0] == BPT_BYTE)
		mem_write(s->mem, taddr_of(site->at), &site->own, 1);
}

static void restore_patch(const struct stale *s, const struct undo_patch *p)
{
	uint8_t now[UNDO_PATCH];

	if (!p->n || p->n > UNDO_PATCH || !is_code(s, p->at, p->n) ||
	    mem_read(s->mem, taddr_of(p->at), now, p->n) < 0 ||
	    memcmp(now, p->ours, p->n) != 0)
		return;
	if (mem_write(s->mem, taddr_of(p->at), p->own, p->n) == 0 && p->resume &&
	    is_code(s, p->resume, 1))
		move_threads(s, p->at, p->resume);
}

static void restore_window(const struct stale *s, const struct undo_part *p,
			   const char *entries, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (p->kind == UNDO_SITES)
			restore_site(
				s, (const struct undo_site *)(const void *)entries + i);
		else
			restore_patch(s,
				      (const struct undo_patch *)(const void *)entries +
					      i);
	}
}

static void restore_part(struct stale *s, const struct undo_part *p)
{
	const uint64_t size = p->kind == UNDO_SITES ? sizeof(struct undo_site)
						    : sizeof(struct undo_patch);
	const uint32_t used = p->used;
	char *window;

	if (p->kind >= UNDO_KINDS || !log_area(s, p->at, used * size))
		return;
	window = oom_realloc(NULL, WINDOW * size);
	for (uint64_t i = 0; i < used && !is_late(s); i += WINDOW) {
		uint32_t n = (uint32_t)min_u64(WINDOW, used - i);

		if (mem_read(s->mem, taddr_of(p->at + i * size), window, n * size) < 0)
			break;
		restore_window(s, p, window, n);
	}
	free(window);
}

static void lower_semaphores(const struct stale *s)
{
	undo_semaphore *all = oom_realloc(NULL, UNDO_SEMAPHORES * sizeof(*all));
	uint32_t n = s->head.nsemaphores;

	if (mem_read(s->mem, taddr_add(s->at, (int64_t)UNDO_SEMAPHORES_AT), all,
		     n * sizeof(*all)) < 0)
		n = 0;
	for (uint32_t i = 0; i < n; i++)
		semaphores_lower_one(s->mem, &s->maps, taddr_of(all[i]));
	free(all);
}

/* ---- memory of ours ---- */

static bool is_in_memory(const struct stale *s, uint64_t addr)
{
	const struct procfs_area *a;

	if (!taddr_in(taddr_of(addr), s->around.lo, s->around.hi))
		return false;
	for (uint32_t i = 0; i < s->nmemory; i++) {
		if (addr - s->memory[i].at >= s->memory[i].size)
			continue;
		a = procfs_maps_find(&s->maps, taddr_of(addr));
		return a && a->is_executable;
	}
	return false;
}

static void read_memory(struct stale *s)
{
	const uint64_t bytes = s->head.nmemory * sizeof(*s->memory);

	s->memory = oom_realloc(NULL, bytes + 1);
	s->nmemory = s->head.nmemory;
	if (mem_read(s->mem, taddr_add(s->at, UNDO_MEMORY_AT), s->memory, bytes) < 0)
		s->nmemory = 0;
	s->around = (struct addr_range){{UINT64_MAX}, {0}};
	for (uint32_t i = 0; i < s->nmemory; i++) {
		const struct undo_memory *m = &s->memory[i];

		if (!m->size)
			continue;
		s->around.lo.v = min_u64(s->around.lo.v, m->at);
		s->around.hi.v = max_u64(s->around.hi.v, m->at + m->size);
	}
}

/*
 * Whether the kernel has put this pc into the frame of a signal: flags follow, and the
 * segments of user mode (struct sigcontext).
 */
static bool is_interrupted_pc(const struct stale *s, const uint64_t word[3])
{
	const uint64_t user_code = 0x33;

	return is_in_memory(s, word[0]) && (word[2] & 0xffff) == user_code;
}

/* A signal may have interrupted the thread in there: its frame is on the stack. */
static bool returns_there(const struct stale *s, const struct all_stop_thread *t)
{
	const struct procfs_area *a = procfs_maps_find(&s->maps, t->sp);
	uint64_t n = a ? min_u64(STACK_BYTES, a->range.hi.v - t->sp.v) : 0;
	uint64_t *words = oom_realloc(NULL, STACK_BYTES);
	bool is_any = n && mem_read(s->mem, t->sp, words, n) < 0;

	for (uint64_t i = 0; i + 2 < n / sizeof(*words) && !is_any; i++)
		is_any = is_interrupted_pc(s, words + i);
	free(words);
	return is_any;
}

/* The stop after one instruction; an interrupt may come first. */
static int step_status(const struct stale *s, int tid, int *status)
{
	int result, turns = 0;

	do {
		result = pt_step(tid, 0);
		if (!result)
			result =
				wait_queue_wait_tid(&s->k->waits, tid, STEP_MS, status);
	} while (!result && *status >> 16 == PT_EVENT_STOP && ++turns < STEP_TURNS);
	return result;
}

/*
 * One instruction. False: the thread has another stop, which is to be handled, or does
 * not stop.
 */
static bool step(struct stale *s, struct all_stop_thread *t)
{
	const int stepped = SIGTRAP << 8 | 0x7f;
	int status = 0,
	    result = t->is_asleep ? STATUS_BUSY : step_status(s, t->tid, &status);

	if (result == STATUS_BUSY && !t->is_asleep)
		pt_interrupt(t->tid); /* the loop handles its stop */
	if (result < 0) {
		t->tid = t->is_asleep ? t->tid : 0;
		return false;
	}
	if (status == stepped)
		status = (PT_EVENT_STOP << 8 | SIGTRAP) << 8 | 0x7f;
	if (t->status == -1)
		s->self_status = status;
	else
		t->status = status;
	return status >> 16 == PT_EVENT_STOP && pt_pc(t->tid, &t->pc) == 0;
}

/* The thread runs on to code of the program's. False: it does not get there. */
static bool leave_memory(struct stale *s, struct all_stop_thread *t)
{
	for (int i = 0; is_in_memory(s, t->pc.v); i++)
		if (i == STEPS_MAX || is_late(s) || !step(s, t))
			return false;
	return true;
}

/* The trap of a breakpoint that is still to be reported is our handler's. */
static bool has_queued_trap(const struct all_stop_thread *t)
{
	siginfo_t info;

	return t->status == (SIGTRAP << 8 | 0x7f) ||
	       (pt_is_queued(t->tid, SIGTRAP, &info) && info.si_code == SI_KERNEL);
}

static bool is_free(struct stale *s)
{
	bool is_all = true;

	for (size_t i = 0; i < s->all.threads.len; i++) {
		struct all_stop_thread *t = &s->all.threads.data[i];

		if (t->tid && (is_late(s) || !leave_memory(s, t) ||
			       has_queued_trap(t) || returns_there(s, t)))
			is_all = false;
	}
	return is_all;
}

static void clear_bases(const struct stale *s)
{
	for (size_t i = 0; s->head.leave_trap && i < s->all.threads.len; i++)
		if (s->all.threads.data[i].tid && !s->all.threads.data[i].is_asleep)
			thread_slots_clear_base(s->all.threads.data[i].tid);
}

static void unmap_all(struct stale *s, struct thread_stop *q)
{
	struct remote_call r;

	if (remote_call_begin(&r, &s->k->waits, q->task, s->mem) < 0)
		return;
	trap_handler_put_back(&r, taddr_of(s->head.text + UNDO_PAGE),
			      s->head.ours.handler, &s->head.own);
	for (uint32_t i = s->nmemory; i-- > 0;)
		if (s->memory[i].size)
			remote_call_unmap(&r, taddr_of(s->memory[i].at),
					  s->memory[i].size);
	remote_call_end(&r, &q->status);
	s->self_status = 0;
}

static void restore_one(struct stale *s, struct thread_stop *q)
{
	for (uint32_t i = 0; i < s->head.nparts; i++)
		restore_part(s, &s->head.parts[i]);
	lower_semaphores(s);
	read_memory(s);
	if (is_free(s)) {
		clear_bases(s);
		unmap_all(s, q);
	}
	free(s->memory);
	s->memory = NULL;
}

static int restore_all(struct stale *s, struct thread_stop *q)
{
	int status = all_stop_begin(&s->all, s->k, q->task, s->process->space);

	for (size_t i = 0; i < s->maps.len && !status && !is_late(s); i++)
		if (is_log(s, &s->maps.data[i]))
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

int stale_restore(struct keeper *k, struct process *p)
{
	struct stale s = {.k = k,
			  .process = p,
			  .mem = p->space->mem,
			  .deadline = deadline_in(ALL_MS)};
	struct thread_stop q;
	int status = procfs_maps(process_living_tid(p), &s.maps);

	if (!status && has_log(&s.maps)) {
		status = thread_stop_begin(k, p, &q);
		if (!status) {
			if (q.task->process->space->mem == s.mem)
				status = restore_all(&s, &q);
			thread_stop_end(k, &q);
		}
	}
	procfs_maps_release(&s.maps);
	return status;
}
