/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/sites/restore.h"
#include "tracer/keeper/space/detours.h"
#include "tracer/keeper/space/text_write.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/threads/thread_stop.h"
#include "tracer/keeper/threads/all_stop.h"
#include "vm/base/bytes.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/sort.h"
#include "vm/base/host/vec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { OP_CALL = 0xe8, OP_JMP = 0xe9 };

static_assert(HOOK_COVERED_MAX <= TEXT_SPAN_MAX, "original bytes are a span");

struct restoration {
	const struct keeper_restore *list;
	size_t n;
	struct procfs_maps maps;
	struct all_stop all;
};

/*
 * Whether the instruction at jump leads into memory of ours. If not, something else has
 * been mapped at the address, and is left alone.
 */
static bool is_ours(const struct space *s, const struct procfs_maps *maps, taddr jump)
{
	const struct procfs_area *a;
	uint8_t bytes[HOOK_JUMP];

	if (mem_read(s->mem, jump, bytes, HOOK_JUMP) < 0 ||
	    (bytes[0] != OP_CALL && bytes[0] != OP_JMP))
		return false;
	a = procfs_maps_find(maps,
			     taddr_of(jump.v + HOOK_JUMP +
				      (uint64_t)(int32_t)bytes_load(bytes + 1, 4)));
	return a && a->is_executable && !a->is_file && a->kind == AREA_PLAIN;
}

/* Moves threads that are at the jump of an island back to the site. */
static void leave_island(const struct restoration *m, const struct keeper_restore *one)
{
	for (size_t i = 0; one->resume_pc.v && i < m->all.threads.len; i++) {
		const struct all_stop_thread *t = &m->all.threads.data[i];

		if (t->tid && !t->is_asleep && t->pc.v == one->jump.v &&
		    pt_set_pc(t->tid, one->resume_pc) < 0)
			pt_set_pc(t->tid, one->resume_pc);
	}
}

/* What is to be written: ascending. */
struct original {
	uint64_t at;
	const struct keeper_restore *of;
};

struct originals {
	struct original *data;
	size_t len, cap;
};

static struct text_span span(const void *ctx, size_t i)
{
	const struct original *o = &((const struct originals *)ctx)->data[i];

	return (struct text_span){taddr_of(o->at), o->of->n};
}

static enum text_result put_back(void *ctx, size_t i, uint8_t *bytes)
{
	const struct keeper_restore *of = ((struct originals *)ctx)->data[i].of;

	if (memcmp(bytes, of->original, of->n) == 0)
		return TEXT_PRESENT;
	memcpy(bytes, of->original, of->n);
	return TEXT_CHANGED;
}

static void write_originals(const struct restoration *m, int mem)
{
	struct originals list = {0};
	struct text_write w = {
		.mem = mem, .ctx = &list, .span = span, .change = put_back};
	uint8_t *results;

	for (size_t i = 0; i < m->n; i++) {
		const struct keeper_restore *one = &m->list[i];

		if (!one->n || one->n > HOOK_COVERED_MAX ||
		    !is_ours(m->all.space, &m->maps, one->jump))
			continue;
		*vec_push(&list) = (struct original){one->addr.v, one};
		leave_island(m, one);
	}
	sort_runs(list.data, list.len, sizeof(*list.data));
	results = oom_calloc(list.len + 1, 1);
	w.n = list.len;
	text_write(&w, results);
	free(results);
	vec_release(&list);
}

/*
 * Clears the GS base of threads in the program's own code. (Our memory has no file; where
 * we use the vDSO, the stack is in shared memory.)
 */
static void clear_bases(const struct restoration *m)
{
	for (size_t i = 0; i < m->all.threads.len; i++) {
		const struct all_stop_thread *t = &m->all.threads.data[i];
		const struct procfs_area *code = procfs_maps_find(&m->maps, t->pc);
		const struct procfs_area *stack = procfs_maps_find(&m->maps, t->sp);
		const struct task *task =
			t->tid ? task_find(&m->all.k->tasks, t->tid) : NULL;

		if (task && !t->is_asleep && code && (!stack || !stack->is_shared) &&
		    (code->is_file || code->kind == AREA_VDSO))
			thread_slots_clear_base(t->tid);
	}
}

static int restore_text(struct restoration *m, struct keeper *k, struct thread_stop *q)
{
	struct space *space = q->task->process->space;
	int status = procfs_maps(q->task->tid, &m->maps);

	if (!status)
		status = all_stop_begin(&m->all, k, q->task, space);
	if (!status) {
		write_originals(m, space->mem);
		clear_bases(m);
		all_stop_end(&m->all);
	}
	procfs_maps_release(&m->maps);
	return status;
}

int restore_process(struct keeper *k, struct process *p, struct link_memory sent,
		    struct err *e)
{
	struct keeper_restore *list = link_copy(sent, e);
	struct restoration m = {.list = list, .n = sent.bytes / sizeof(*list)};
	struct thread_stop q;
	int status;

	if (!list)
		return e->status;
	status = thread_stop_begin(k, p, &q);
	if (!status) {
		status = restore_text(&m, k, &q);
		thread_stop_end(k, &q);
	}
	free(list);
	return status ? err_set(e, (enum status)status, "it could not be stopped") : 0;
}
