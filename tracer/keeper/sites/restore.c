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

struct mending {
	const struct keeper_restore *all;
	size_t n;
	struct procfs_maps maps;
	struct all_stop still;
};

/*
 * Only a jump or call of ours leads into such memory from there: whatever else is
 * mapped at the address by now has its own business.
 */
static bool is_ours(const struct space *s, const struct procfs_maps *maps,
		    uint64_t jump)
{
	const struct procfs_area *a;
	uint8_t bytes[HOOK_JUMP];

	if (mem_read(s->mem, jump, bytes, HOOK_JUMP) < 0 ||
	    (bytes[0] != OP_CALL && bytes[0] != OP_JMP))
		return false;
	a = procfs_maps_find(maps, jump + HOOK_JUMP +
					   (uint64_t)(int32_t)bytes_load(bytes + 1, 4));
	return a && a->is_executable && !a->is_file && a->kind == AREA_PLAIN;
}

/* A thread between a short jump and the one that it leads to. */
static void send_home(const struct mending *m, const struct keeper_restore *one)
{
	for (size_t i = 0; one->home && i < m->still.threads.len; i++) {
		const struct all_stop_thread *t = &m->still.threads.data[i];

		if (t->tid && !t->is_asleep && t->pc == one->jump &&
		    pt_set_pc(t->tid, one->home) < 0)
			pt_set_pc(t->tid, one->home);
	}
}

static void put_back(const struct mending *m, int mem)
{
	struct text_patches patches = {0};

	for (size_t i = 0; i < m->n; i++) {
		const struct keeper_restore *one = &m->all[i];
		struct text_patch p = {.at = taddr_of(one->addr), .n = one->n};

		if (p.n > HOOK_COVERED_MAX || mem_read(mem, p.at.v, p.from, p.n) < 0 ||
		    !is_ours(m->still.space, &m->maps, one->jump))
			continue;
		memcpy(p.to, one->original, p.n);
		*vec_push(&patches) = p;
		send_home(m, one);
	}
	text_patches_write(&patches, mem);
	vec_release(&patches);
}

/*
 * A thread in the program's own code needs its area no more. (In memory of ours it is
 * somewhere without a file, or, in the vDSO, on a stack that is shared.)
 */
static void clear_bases(const struct mending *m)
{
	for (size_t i = 0; i < m->still.threads.len; i++) {
		const struct all_stop_thread *t = &m->still.threads.data[i];
		const struct procfs_area *code = procfs_maps_find(&m->maps, t->pc);
		const struct procfs_area *stack = procfs_maps_find(&m->maps, t->sp);
		const struct task *task =
			t->tid ? task_find(&m->still.k->tasks, t->tid) : NULL;

		if (task && !t->is_asleep && code && (!stack || !stack->is_shared) &&
		    (code->is_file || code->kind == AREA_VDSO))
			thread_slots_clear_base(t->tid);
	}
}

static int mend(struct mending *m, struct keeper *k, struct thread_stop *q)
{
	struct space *space = q->task->process->space;
	int status = procfs_maps(q->task->tid, &m->maps);

	if (!status)
		status = all_stop_begin(&m->still, k, q->task, space);
	if (!status) {
		put_back(m, space->mem);
		clear_bases(m);
		all_stop_end(&m->still);
	}
	procfs_maps_release(&m->maps);
	return status;
}

int restore_process(struct keeper *k, struct process *p, struct sent sent,
		    struct err *e)
{
	struct keeper_restore *all = sent_copy(sent, e);
	struct mending m = {.all = all, .n = sent.bytes / sizeof(*all)};
	struct thread_stop q;
	int status;

	if (!all)
		return e->status;
	status = thread_stop_begin(k, p, &q);
	if (!status) {
		status = mend(&m, k, &q);
		thread_stop_end(k, &q);
	}
	free(all);
	return status ? err_set(e, (enum status)status, "it could not be stopped") : 0;
}
