/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/sites/restore.h"
#include "tracer/keeper/space/detours.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/threads/thread_stop.h"
#include "tracer/keeper/threads/all_stop.h"
#include "vm/base/bytes.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

enum { OP_CALL = 0xe8, OP_JMP = 0xe9 };

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

static void write_originals(const struct restoration *m, int mem)
{
	struct text_patches patches = {0};

	for (size_t i = 0; i < m->n; i++) {
		const struct keeper_restore *one = &m->list[i];
		struct text_patch p = {.at = one->addr, .n = one->n};

		if (p.n > HOOK_COVERED_MAX || mem_read(mem, p.at, p.from, p.n) < 0 ||
		    !is_ours(m->all.space, &m->maps, one->jump))
			continue;
		memcpy(p.to, one->original, p.n);
		*vec_push(&patches) = p;
		leave_island(m, one);
	}
	text_patches_write(&patches, mem);
	vec_release(&patches);
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
