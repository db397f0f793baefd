/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/handle.h"
#include "tracer/keeper/threads/detach.h"
#include "tracer/keeper/threads/child.h"
#include "tracer/keeper/threads/event.h"
#include "tracer/keeper/threads/exec.h"
#include "tracer/keeper/threads/exit.h"
#include "tracer/keeper/threads/hit.h"
#include "tracer/keeper/threads/stopped.h"
#include "tracer/keeper/threads/stub_exit.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/inject/growth.h"
#include "tracer/keeper/inject/trap_handler.h"
#include "vm/base/host/clock.h"

#include <string.h>
#include <sys/wait.h>

/*
 * An instruction faulted in its out-of-line slot. The program's handler gets the address
 * of the site instead.
 */
static void tell_site(const struct task *task, const struct bpt_site *site, int sig)
{
	siginfo_t info;

	if (!stopped_tells_pc(sig) || pt_siginfo(task->tid, &info) < 0)
		return;
	info.si_addr = (void *)(uintptr_t)site->in.addr.v;
	pt_set_siginfo(task->tid, &info);
}

static bool is_restartable(const struct stopped *s)
{
	return s->in.where == WHERE_SLOT_AFTER && s->site->in.kind == INSN_SYSCALL &&
	       stop_is_restarted(s->in.result);
}

/*
 * No interface tells whether the handler's action restarts the call (SA_RESTART). A step
 * into the handler shows where its frame returns to.
 */
static void step_into_handler(struct keeper *k, struct task *task,
			      const struct stopped *s, int sig)
{
	struct regs regs;
	struct space_place place;
	int wstatus, tid = task->tid;
	uint64_t pc = 0;

	if (pt_step(tid, sig) < 0 || wait_queue_wait_step(&k->waits, tid, &wstatus) < 0)
		return;
	if (wstatus >> 16 != PT_EVENT_NONE || WSTOPSIG(wstatus) != SIGTRAP) {
		handle_stop(k, tid, wstatus);
		return;
	}
	if (pt_regs(tid, &regs) < 0)
		return;
	siteless_handled(&k->siteless, task, sig);
	if (mem_peek(task->process->space->mem,
		     taddr_of(regs_interrupted_pc_at(regs_sp(&regs))), &pc,
		     sizeof(pc)) == sizeof(pc) &&
	    pc == s->site->in.addr.v)
		stopped_note_fired(task, s);
	/* The handler was removed on the way, and the step was onto a site. */
	place = task_place(task, &regs);
	if (place.where == WHERE_TRAPPED)
		pt_set_pc(tid, place.site->in.addr);
	task_cont(task, 0);
}

/*
 * A system call in a slot that the kernel will restart has fired already. Without a
 * handler the restart happens in the slot; with one, at the site, where the call must not
 * fire again.
 */
static void deliver_to_call(struct keeper *k, struct task *task, struct stopped *s,
			    int sig)
{
	struct procfs_status st = {0};
	uint64_t bit = UINT64_C(1) << (sig - 1);

	procfs_status(task->tid, &st);
	if ((st.caught & bit || (stopped_dumps_core(sig) && !(st.ignored & bit))) &&
	    stopped_move_pc(task, s, PC_NEXT) < 0)
		return;
	siteless_sent(&k->siteless, task, sig);
	if (st.caught & bit &&
	    (s->in.result == STOP_RESTART_SYS || siteless_want_handler(&k->siteless))) {
		step_into_handler(k, task, s, sig);
		return;
	}
	if (st.caught & bit && s->in.result == STOP_RESTART_NOINTR)
		stopped_note_fired(task, s);
	task_cont(task, sig);
}

/*
 * Whether the program ignores SIGTRAP, for which it has our handler, or which our
 * breakpoints have reset.
 */
static bool is_ignored_trap(const struct task *task, int sig)
{
	const struct undo_head *undo = task->process->space->undo_log.head;
	struct procfs_status st;

	if (sig == SIGTRAP && undo && undo->own.handler == TRAP_IGNORE)
		return true;
	return sig == SIGTRAP && task->process->ignores_trap &&
	       procfs_status(task->tid, &st) == 0 && !(st.caught >> (SIGTRAP - 1) & 1);
}

/*
 * Before sig is delivered, if the process ends with a dump of its memory: bytes of ours
 * are taken out for that, so nothing could be told of the sites at the end.
 */
static void report_changed(struct keeper *k, const struct task *task, int sig)
{
	struct procfs_status st;

	if (stopped_dumps_core(sig) && procfs_status(task->tid, &st) == 0 &&
	    !((st.caught | st.ignored) >> (sig - 1) & 1)) {
		event_changed(k, task->process);
		task->process->space->has_ended = true;
	}
}

static void deliver(struct keeper *k, struct task *task, struct stopped *s,
		    const struct stop_verdict *v)
{
	if (v->pc == PC_EXIT_STUB || v->pc == PC_DEMOTE) {
		if (stopped_leave(k, task, v->pc, v->signal) == STATUS_GONE)
			return;
	}
	if (v->event == STOP_SIGNAL && s->in.where == WHERE_ORIGINAL &&
	    hit_leave_moved(k, task, &s->regs, v->signal))
		return;
	if (is_ignored_trap(task, v->signal)) {
		if (v->pc == PC_FINISH_SLOT || stopped_move_pc(task, s, v->pc) == 0)
			task_cont(task, 0);
		return;
	}
	report_changed(k, task, v->signal);
	stopped_restore_before_core(task, v->signal);
	if (v->pc == PC_FINISH_SLOT) {
		hit_finish_copy(k, task, s->site, v->signal);
		return;
	}
	if (v->pc == PC_NEXT && is_restartable(s)) {
		deliver_to_call(k, task, s, v->signal);
		return;
	}
	if (v->event == STOP_FAULT && v->pc == PC_SITE)
		tell_site(task, s->site, v->signal);
	if (stopped_move_pc(task, s, v->pc) == 0)
		siteless_deliver(&k->siteless, task, v->signal);
}

static void resume(struct keeper *k, struct task *task, struct stopped *s,
		   const struct stop_verdict *v)
{
	if (task->state == TASK_HELD)
		return; /* we stopped it again */
	task->state = TASK_RUNNING;
	if (v->signal || v->pc == PC_EXIT_STUB || v->pc == PC_DEMOTE) {
		deliver(k, task, s, v);
		return;
	}
	if (stopped_move_pc(task, s, v->pc) < 0)
		return;
	if (v->resume == RESUME_LISTEN && pt_listen(task->tid) == 0)
		task->state = TASK_LISTENING;
	else if (v->resume == RESUME_CONT)
		task_cont(task, 0);
}

static void call_exit(struct keeper *k, struct task *task, struct regs *regs,
		      bool is_ours)
{
	struct syscalls_stop stop = siteless_stop(regs);

	if (stopped_cut_call(task, task->status, regs)) {
		stop.is_repeated = task->cut.is_on;
		stop.result = regs_syscall_result(regs);
	}
	if (task->process->has_calls && !is_ours)
		siteless_leave(&k->siteless, task, regs, &stop);
}

/* Whether a clause that runs inside the process has made the system call. */
static bool is_call_of_resident(const struct task *task, const struct regs *regs)
{
	const struct space *s = task->process->space;
	const taddr pc = taddr_of(regs_pc(regs)), sp = taddr_of(regs_sp(regs));

	return s->detours && space_where(s, pc, sp).where >= WHERE_RESIDENT;
}

/*
 * At the entry or exit of a system call. It may have come before the stop that was asked
 * for by the sampler, which does not come then; in resident code it is asked for again.
 */
static void call_stop(struct keeper *k, struct task *task)
{
	bool has_calls = task->process->has_calls, is_entry = false, is_ours;
	struct regs regs;

	if (!has_calls && !task->cut.needs_exit && !task->has_samples)
		return;
	if (pt_call_stop(task->tid, &is_entry) < 0 || pt_regs(task->tid, &regs) < 0) {
		if (has_calls)
			siteless_miss(&k->siteless, task);
		return;
	}
	is_ours = is_call_of_resident(task, &regs);
	if (task->has_samples && is_ours)
		pt_interrupt(task->tid);
	else if (task->has_samples)
		sampler_fire(&k->sampler, &k->program, task, &regs, !is_entry);
	if (!is_entry) {
		call_exit(k, task, &regs, is_ours);
		return;
	}
	cut_call_entered(&task->cut, &regs, clock_now_ns());
	if (has_calls && !is_ours)
		siteless_enter(&k->siteless, task, &regs);
}

/* At the end of a call that may have changed them, trust_domain_turn() looks at once. */
static void note_credentials(struct keeper *k, const struct task *task)
{
	struct regs regs;
	bool is_entry;

	if (process_has_variables(task->process) &&
	    pt_call_stop(task->tid, &is_entry) == 0 && !is_entry &&
	    pt_regs(task->tid, &regs) == 0)
		k->domain.is_due |= credentials_are_changed_by(regs_syscall(&regs));
}

/* The thread has ended; its memory is still there, however the end came. */
static void end_event(struct keeper *k, struct task *task)
{
	struct process *p = task->process;

	if (p->has_exits)
		siteless_exit(&k->siteless, task);
	if (task->tid == p->pid && !p->space->has_ended)
		event_changed(k, p);
	/* Killed while it was held: it is no more, and resume() would leave it there. */
	if (task->waits_since)
		task->state = TASK_RUNNING;
	else if (task->state == TASK_HELD)
		pt_cont(task->tid, 0);
	room_leave(task);
}

static void act(struct keeper *k, struct task *task, struct stopped *s)
{
	struct stop_verdict v = stop_classify(&s->in);

	switch (v.event) {
	case STOP_HIT:
		task->state = TASK_RUNNING;
		regs_set_pc(&s->regs, s->site->in.addr.v);
		hit_handle(k, task, s->site, &s->regs, s->has_pc_only);
		return;
	case STOP_FIRST:
		if (child_first_stop(k, task, s->in.status))
			handle_stop(k, task->tid, s->in.status);
		return;
	case STOP_CHILD:
		child_event(k, task);
		break;
	case STOP_EXEC:
		exec_event(k, task);
		return;
	case STOP_SYSCALL:
		task->is_crowded = false;
		call_stop(k, task);
		note_credentials(k, task);
		if (exec_detach_privileged(k, task))
			return;
		if (task->is_crowded && room_is_wanted(&k->room, task->process))
			room_hold(&k->room, task, taddr_of(0));
		else
			task_cont(task, 0);
		return;
	case STOP_EXIT_TRAP:
		stub_exit_asked(task);
		break;
	case STOP_GONE:
	case STOP_EARLY:
	case STOP_INTERRUPTED:
	case STOP_GROUP_STOP:
	case STOP_SIGNAL:
	case STOP_FAULT:
	case STOP_GUARD:
	case STOP_OTHER:
		if (s->in.status >> 16 == PT_EVENT_EXIT)
			end_event(k, task);
		break;
	}
	resume(k, task, s, &v);
}

/* A child stops before its parent's event: its stop is kept until that. */
static void keep_early(struct keeper *k, struct task *task, int tid, int status)
{
	/* Killed before it ran, perhaps with the parent: then that has no event. */
	if (status >> 16 == PT_EVENT_EXIT) {
		pt_cont(tid, 0);
		return;
	}
	if (!task)
		task = task_add(&k->tasks, NULL, tid, TASK_EARLY);
	task->status = status;
	child_adopt_orphans(k, false);
}

/* Its first stop since resident code was installed in the process. */
static bool needs_slot(const struct task *task, int status)
{
	const struct detours *d = task->process->space->detours;

	return !task->slot.tcb && d && d->is_installed &&
	       task->process->role != ROLE_FORKED && stop_may_take_slot(status);
}

/* Whether the thread asked for more chunks, and is where it can make calls for them. */
static bool needs_growth(const struct task *task, int status)
{
	const struct detours *d = task->process->space->detours;

	if (!d || !d->is_installed || status >> 16 != PT_EVENT_STOP)
		return false;
	return task->wants_chunks ||
	       (needs_slot(task, status) &&
		growth_needs_threads(d, task->process->role != ROLE_TRACED));
}

/* Whether our SIGTRAP handler is to be looked after, and can be. */
static bool needs_handler(const struct task *task, int status)
{
	return task->process->space->undo_log.is_due && status >> 16 == PT_EVENT_STOP &&
	       task->process->role == ROLE_TRACED;
}

/*
 * The thread makes the system calls by which memory of ours grows, for itself, if it is
 * new, or for all; and those that set our SIGTRAP handler again. Its stop is another one
 * then. STATUS_GONE: it died.
 */
static int grow(struct keeper *k, struct task *task, int *status)
{
	struct remote_call r;
	struct injection in = {&r, task->process, &k->program, NULL};
	int mem = task->process->space->mem, result;

	result = remote_call_begin(&r, &k->waits, task, mem);
	if (result < 0) {
		task->process->space->undo_log.is_due = false;
		return result;
	}
	if (needs_slot(task, *status))
		growth_threads(&in, 1);
	if (task->wants_chunks)
		growth_pool(&in);
	if (task->process->space->undo_log.is_due)
		trap_handler_renew(&r, task->process->space);
	task->wants_chunks = false;
	result = remote_call_end(&r, status);
	task->status = *status;
	return result;
}

/*
 * The thread that calls exec becomes the leader, whose tid is unknown if it was a zombie
 * when we attached.
 */
static struct task *new_leader(struct keeper *k, int tid)
{
	struct process *p = process_find(&k->tasks, tid);

	return p ? task_add(&k->tasks, p, tid, TASK_RUNNING) : NULL;
}

/* Sets the options that the thread needs from now on. */
static void watch(struct task *task, const struct stopped *s)
{
	const struct process *p = task->process;

	siteless_watch_end(task);
	if (p->has_calls && s->in.status >> 16 == PT_EVENT_STOP &&
	    s->in.life == LIFE_KNOWN)
		siteless_found(task, &s->regs);
}

/*
 * The stop is, among others, for profile probes. They see the registers as they would be
 * without us, and never inside resident code, whose stack says nothing.
 */
static void take_samples(struct keeper *k, struct task *task, struct stopped *s)
{
	struct regs regs = s->regs;

	if (s->in.where >= WHERE_RESIDENT) {
		if (stopped_leave(k, task, PC_EXIT_STUB, 0) == STATUS_GONE ||
		    pt_regs(task->tid, &regs) < 0)
			return;
		s->in.where = WHERE_ORIGINAL;
	} else if (s->in.where >= WHERE_STUB_PROLOGUE) {
		stub_exit_translate(task, s->detour, &regs);
	} else if (s->in.where == WHERE_SLOT_AFTER) {
		step_pc_fixup(&s->site->in, s->site->slot.at, s->site->slot.len, &regs);
	} else if (s->site) {
		regs_set_pc(&regs, s->site->in.addr.v);
	}
	sampler_fire(&k->sampler, &k->program, task, &regs, s->is_in_call);
	act(k, task, s);
}

static void handle(struct keeper *k, int tid, int status)
{
	struct task *task = task_find(&k->tasks, tid);
	struct stopped s = {.in = {.status = status, .life = LIFE_KNOWN}};

	if (!task && status >> 16 == PT_EVENT_EXEC)
		task = new_leader(k, tid);
	if (!WIFSTOPPED(status)) {
		if (task)
			exit_event(k, task, status);
		return;
	}
	if (!task || !task->process) {
		keep_early(k, task, tid, status);
		return;
	}
	task->status = status;
	if (task->is_leaving) {
		detach_late(k, task, status);
		return;
	}
	if ((needs_growth(task, status) || needs_handler(task, status)) &&
	    grow(k, task, &status) == STATUS_GONE)
		return;
	s.in.status = status;
	if (task->state == TASK_NEW)
		s.in.life = LIFE_NEW;
	if (needs_slot(task, status))
		task_take_slot(&k->tasks, task, task->process->role != ROLE_TRACED);
	if (!stopped_fetch_hit(task, &s) && stopped_fetch(task, &s) < 0)
		return;
	watch(task, &s);
	if (task->has_samples && status >> 16 == PT_EVENT_STOP &&
	    s.in.life == LIFE_KNOWN)
		take_samples(k, task, &s);
	else
		act(k, task, &s);
}

static void handle_in_own_time(struct keeper *k, int tid, int status)
{
	struct task *task = task_find(&k->tasks, tid);

	if (task)
		task_time_stop(task, own_time_ways(k->program.state).stop);
	handle(k, tid, status);
	task = task_find(&k->tasks, tid);
	if (task && task->state != TASK_HELD)
		task_time_go(task);
}

void handle_stop(struct keeper *k, int tid, int status)
{
	if (k->program.image && own_time_is_on(k->program.state))
		handle_in_own_time(k, tid, status);
	else
		handle(k, tid, status);
}
