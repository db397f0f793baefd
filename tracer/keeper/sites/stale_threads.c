/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/sites/stale_run.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/ptrace.h"
#include "vm/base/host/oom.h"

#include <signal.h>
#include <stdlib.h>

#define STACK_BYTES 65536u
#define STOP_MS	    20 /* before it is checked whether the thread sleeps */
#define RUNS_MAX    7  /* a thread runs for 1, 2, 4 ms, and so on up to that power */

static bool has_no_time(struct stale *s)
{
	return !deadline_left(&s->leaving);
}

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

/* STATUS_BUSY: it does not come, though the thread does not only wait for a processor. */
static int await_stop(struct stale *s, int tid, int *status)
{
	int result;

	do
		result = wait_queue_wait_tid(&s->k->waits, tid, STOP_MS, status);
	while (result == STATUS_BUSY && procfs_state(tid) != 'S' &&
	       !procfs_in_vfork(tid) && !has_no_time(s));
	return result;
}

/* Whether nothing is lost if the thread goes on from its stop: a signal, a new child. */
static bool can_go_on(const struct stale *s, const struct all_stop_thread *t)
{
	return !t->is_asleep &&
	       (t->status == -1 || t->status == STALE_INTERRUPTED ||
		(t->status == STALE_TRAPPED && t->pc.v == s->head.leave_trap));
}

static bool take_stop(struct stale *s, struct all_stop_thread *t, int status)
{
	struct regs regs;

	if (t->status == -1)
		s->self_status = status;
	else
		t->status = status;
	if (status >> 16 != PT_EVENT_STOP || pt_regs(t->tid, &regs) < 0)
		return false;
	t->pc = taddr_of(regs_pc(&regs));
	t->sp = taddr_of(regs_sp(&regs));
	return true;
}

/*
 * The thread runs for some ms, or to its first stop. False: that is to be handled, or it
 * does not stop, or sleeps in memory of ours.
 */
static bool run_thread(struct stale *s, struct all_stop_thread *t, unsigned ms)
{
	bool is_sleeper = false;
	int status = 0, result;

	if (!can_go_on(s, t))
		return false;
	result = pt_cont(t->tid, 0);
	if (!result)
		result = wait_queue_wait_tid(&s->k->waits, t->tid, ms, &status);
	if (result == STATUS_BUSY) {
		is_sleeper = procfs_state(t->tid) == 'S';
		result = pt_interrupt(t->tid);
		result = result ? result : await_stop(s, t->tid, &status);
	}
	if (result < 0) {
		t->tid = 0; /* the loop handles its stop */
		return false;
	}
	return take_stop(s, t, status) && !(is_sleeper && is_in_memory(s, t->pc.v));
}

/*
 * The thread runs on to code of the program's, whose own bytes lead it here no more. Not
 * by single steps: a busy machine lets it wait for each. False: it does not get there.
 */
static bool leave_stale(struct stale *s, struct all_stop_thread *t)
{
	for (uint32_t i = 0; is_in_memory(s, t->pc.v); i++)
		if (has_no_time(s) || !run_thread(s, t, 1u << min_u32(i, RUNS_MAX)))
			return false;
	return true;
}

/* The trap of a breakpoint that is still to be reported is our handler's. */
static bool has_queued_trap(const struct all_stop_thread *t)
{
	siginfo_t info;

	return t->status == STALE_TRAPPED ||
	       (pt_is_queued(t->tid, SIGTRAP, &info) && info.si_code == SI_KERNEL);
}

bool stale_free_memory(struct stale *s)
{
	bool is_all = true;

	for (size_t i = 0; i < s->all.threads.len; i++) {
		struct all_stop_thread *t = &s->all.threads.data[i];

		if (t->tid && (has_no_time(s) || !leave_stale(s, t) ||
			       has_queued_trap(t) || returns_there(s, t)))
			is_all = false;
	}
	return is_all;
}
