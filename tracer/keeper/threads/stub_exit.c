/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/stub_exit.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/threads/detour_remove.h"
#include "tracer/keeper/os/mem.h"
#include "vm/base/host/vec.h"

#include <stddef.h>
#include <sys/wait.h>

#define TURNS_MAX 65536 /* steps: a moved instruction may be repeated that often */
#define TURNS_MS  500	/* for them; others wait meanwhile */

static struct detours *detours_of(const struct task *task)
{
	return task->process->space->detours;
}

static enum stop_where place_of(const struct task *task, const struct regs *regs,
				struct detour **detour)
{
	return detours_where(detours_of(task), taddr_of(regs_pc(regs)),
			     taddr_of(regs_sp(regs)), detour);
}

/* The thread's own control block, NULL when it has none. */
static struct resident_tcb *tcb_of(const struct task *task)
{
	const struct detours *h = detours_of(task);

	return task->slot.tcb ? detours_tcb(h, task->slot.tcb) : NULL;
}

/* The register of the program that the stub has spilled. */
static uint64_t spilled_rax(const struct task *task)
{
	const struct resident_tcb *tcb = tcb_of(task);
	uint64_t spilled = 0;

	if (tcb)
		return resident_tcb_spill(tcb);
	mem_read(task->process->space->mem,
		 taddr_of(detours_of(task)->gate.v +
			  offsetof(struct resident_gate, spill)),
		 &spilled, sizeof(spilled));
	return spilled;
}

bool stub_exit_translate(const struct task *task, const struct detour *detour,
			 struct regs *regs)
{
	struct stub_request req = detours_request(detour);
	const struct stub_point *point = NULL;
	taddr before = detours_before_island(detour, taddr_of(regs_pc(regs)));
	struct stub stub;

	if (before.v) {
		regs_set_pc(regs, before.v);
		return false;
	}
	if (stub_build(&req, &stub) == 0)
		point = stub_point_at(&stub, regs_pc(regs) - detour->stub.v);
	if (!point)
		return false; /* no instruction begins there */
	if (point->is_spilled)
		regs_set_spilled(regs, spilled_rax(task));
	if (point->at < STUB_EPILOGUE && detours_begins_with_prologue(detour)) {
		/* The site has not fired: its bytes lead the thread here again. */
		regs_set_pc(regs, detour->plan.patch.v);
		regs_set_sp(regs, regs_sp(regs) + (uint64_t)stub.sp_fix);
		return false;
	}
	regs_set_pc(regs, point->pc.v);
	regs_set_sp(regs, regs_sp(regs) + (uint64_t)(int64_t)point->sp_fix);
	return !point->is_prologue &&
	       hook_plan_find(&detour->plan, point->pc, false) >= 0;
}

int stub_exit_guard(const struct task *task)
{
	const struct detours *d = detours_of(task);
	struct regs regs;
	taddr next;

	if (pt_regs(task->tid, &regs) < 0)
		return STATUS_GONE;
	next = clause_code_after_fault(&d->code, taddr_of(regs_pc(&regs)));
	if (!next.v)
		next = taddr_of(d->place.text + detours_text()->guard_fixup);
	return pt_set_pc(task->tid, next);
}

/* One run of a thread to the exit. */
struct stub_exit {
	struct keeper *k;
	struct task *task;
	bool is_interrupted; /* an event stop came on the way */
};

/* One step, or a run to the next signal. Returns the signal, or a negative status. */
static int go_on(struct stub_exit *w, bool is_step)
{
	struct task *task = w->task;

	for (;;) {
		int wstatus, status;

		status = is_step ? pt_step(task->tid, 0) : pt_cont(task->tid, 0);
		if (!status)
			status =
				wait_queue_wait_step(&w->k->waits, task->tid, &wstatus);
		if (status < 0)
			return status;
		if (wstatus >> 16 == PT_EVENT_NONE &&
		    WSTOPSIG(wstatus) != PT_SYSCALL_STOP)
			return WSTOPSIG(wstatus);
		w->is_interrupted = true;
	}
}

/* Marks the firing and runs resident code until its trap. */
static int run_marked(struct stub_exit *w)
{
	struct task *task = w->task;
	struct resident_tcb *tcb = tcb_of(task);
	int sig;

	if (!tcb)
		return STATUS_FAULT;
	if (resident_tcb_pending(tcb) == RESIDENT_STOPS_UNBLOCKED)
		task->mask |= pt_mask_of(SIGTRAP);
	tcb->gate.pending = RESIDENT_STOPS;
	sig = go_on(w, false);
	if (sig < 0)
		return sig;
	return sig == SIGTRAP ? 0 : STATUS_FAULT;
}

/* At the trap: moves the pc to the site's epilogue. */
static int enter_epilogue(struct task *task)
{
	struct resident_tcb *tcb = tcb_of(task);
	const struct detour *detour;
	struct regs regs;
	taddr tail;

	if (!tcb)
		return STATUS_FAULT;
	tcb->gate.pending = RESIDENT_GOES_ON;
	resident_tcb_regs(tcb, &regs);
	tail = taddr_of(regs_pc(&regs));
	detour = detours_of_stub(detours_of(task), tail);
	/* The target can write that word: it is checked. */
	if (!detour || !detours_is_epilogue(detours_of(task), detour, tail))
		return STATUS_FAULT;
	return pt_set_pc(task->tid, tail);
}

/* Whether it hit a site inside a firing: it will return into resident code. */
static bool is_nested(const struct task *task, uint64_t pc)
{
	const struct resident_tcb *tcb = tcb_of(task);
	uint64_t at = pc - detours_of(task)->place.text;

	return detours_is_before_busy(at) && tcb && resident_tcb_busy(tcb);
}

/* The fault of a run or step: 0 if the code that the thread is in expects it. */
static int take_fault(const struct task *task, enum stop_where expects)
{
	struct detour *detour;
	struct regs regs;

	if (pt_regs(task->tid, &regs) < 0)
		return STATUS_GONE;
	if (place_of(task, &regs, &detour) != expects)
		return STATUS_FAULT;
	return stub_exit_guard(task);
}

static int step(struct stub_exit *w)
{
	int sig = go_on(w, true);

	return sig == SIGTRAP ? 0 : sig < 0 ? sig : STATUS_FAULT;
}

/* One step of the exit. 1: the thread is out; 0: go on; or a negative status. */
static int turn(struct stub_exit *w)
{
	struct task *task = w->task;
	struct regs regs;
	struct detour *detour;
	enum stop_where where;
	int status = pt_regs(task->tid, &regs);

	if (status < 0)
		return status;
	where = place_of(task, &regs, &detour);
	if (where == WHERE_RESIDENT_LATE && is_nested(task, regs_pc(&regs)))
		where = WHERE_RESIDENT;
	switch (where) {
	case WHERE_STUB_PROLOGUE:
		stub_exit_translate(task, detour, &regs);
		status = pt_set_regs(task->tid, &regs);
		return status ? status : 1;
	case WHERE_STUB_EPILOGUE:
	case WHERE_RESIDENT_LATE:
		return step(w);
	case WHERE_LIGHT:
		status = step(w);
		return status == STATUS_FAULT ? take_fault(task, WHERE_LIGHT) : status;
	case WHERE_EXIT_TRAP:
		return enter_epilogue(task);
	case WHERE_RESIDENT:
	case WHERE_GUARD:
		status = run_marked(w);
		return status == STATUS_FAULT ? take_fault(task, WHERE_GUARD) : status;
	default:
		return 1;
	}
}

void stub_exit_asked(struct task *task)
{
	const struct resident_tcb *tcb = tcb_of(task);
	uint64_t mask;

	task->wants_chunks = true;
	if (tcb && resident_tcb_pending(tcb) == RESIDENT_STOPS_UNBLOCKED &&
	    pt_mask(task->tid, &mask) == 0)
		pt_set_mask(task->tid, mask | pt_mask_of(SIGTRAP));
	task_interrupt(task);
}

int stub_exit_run(struct keeper *k, struct task *task)
{
	struct stub_exit w = {.k = k, .task = task};
	struct resident_tcb *tcb;
	struct deadline turns = deadline_in(TURNS_MS);
	int status = task_block_signals(task);

	if (status)
		return STATUS_GONE;
	for (int i = 0; !status && i < TURNS_MAX && deadline_left(&turns); i++)
		status = turn(&w);
	if (!status)
		wait_queue_spend(&k->waits, task->tid,
				 TURNS_MS - deadline_left(&turns));
	tcb = tcb_of(task);
	if (tcb)
		tcb->gate.pending = RESIDENT_GOES_ON;
	/* A thread that is lost runs, or is left where it is (abandon.h). */
	if (wait_queue_is_lost(&k->waits, task->tid))
		return STATUS_GONE;
	task_unblock_signals(task);
	if (status == STATUS_GONE)
		return status;
	/* An interrupt, or a group stop that still holds, is reported again. */
	if (w.is_interrupted)
		pt_interrupt(task->tid);
	if (status == STATUS_BUSY || status == 0)
		return STATUS_BUSY;
	return status > 0 ? 0 : status;
}

/* Sets regs to those at the site. The firing is lost, and counted as a drop. */
static struct detour *abandon_firing(struct keeper *k, struct task *task,
				     struct regs *regs)
{
	struct resident_tcb *tcb = tcb_of(task);
	struct detour *detour;
	struct regs r;
	taddr tail;

	if (!tcb)
		return NULL;
	resident_tcb_regs(tcb, &r);
	tail = taddr_of(regs_pc(&r));
	detour = detours_of_stub(detours_of(task), tail);
	if (!detour || !detours_is_epilogue(detours_of(task), detour, tail))
		return NULL;
	regs_copy_user(regs, &r);
	resident_tcb_leave(tcb);
	tcb->gate.pending = RESIDENT_GOES_ON;
	atomic_fetch_add_explicit(
		&state_drops(k->program.state, STATE_SLOT_KEEPER)->records, 1,
		memory_order_relaxed);
	return detour;
}

/* Breakpoints take its place. */
static int demote(struct keeper *k, struct task *task, const struct detour *detour)
{
	uint32_t number = detour->number;
	const struct bpt_list one = {&number, 1, 1};

	return detour->is_on ? detour_remove_all(k, task, task->process->space, &one)
			     : 0;
}

int stub_exit_demote(struct keeper *k, struct task *task)
{
	struct regs regs;
	struct detour *detour;
	enum stop_where where;
	int status = pt_regs(task->tid, &regs);

	if (status < 0)
		return status;
	where = place_of(task, &regs, &detour);
	if (where != WHERE_STUB_PROLOGUE && where != WHERE_STUB_EPILOGUE)
		detour = abandon_firing(k, task, &regs);
	if (!detour)
		return STATUS_FAULT;
	status = demote(k, task, detour);
	if (status < 0)
		return status;
	if (stub_exit_translate(task, detour, &regs)) {
		/* It has fired: the breakpoint there must not fire again. */
		task_note_fired(task, taddr_of(regs_pc(&regs)), &regs, false);
	}
	return pt_set_regs(task->tid, &regs);
}
