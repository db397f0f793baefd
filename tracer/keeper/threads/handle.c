/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/handle.h"
#include "tracer/keeper/threads/detach.h"
#include "tracer/keeper/threads/stub_exit.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/stop.h"

#include <string.h>
#include <sys/wait.h>

/* What one stop needs in passing from step to step. */
struct stop {
	struct stop_facts in;
	struct bpt_site *site;
	struct detour *detour; /* in whose stub it is */
	struct regs regs;
};

static bool is_repeated(const struct insn *in)
{
	for (int i = 0; i < in->len; i++) {
		if (in->bytes[i] == 0xf2 || in->bytes[i] == 0xf3)
			return true;
		/* the other legacy prefixes may come before */
		if (!strchr("\x66\x67\x2e\x36\x3e\x26\x64\x65", in->bytes[i]))
			return false;
	}
	return false;
}

static int fetch_regs(struct task *task, struct stop *s)
{
	struct space_place place;
	int status = pt_regs(task->tid, &s->regs);

	if (status < 0)
		return status;
	place = task_place(task, &s->regs);
	s->in.where = place.where;
	s->site = place.site;
	s->detour = place.detour;
	s->in.call = regs_syscall(&s->regs);
	s->in.result = regs_syscall_result(&s->regs);
	s->in.is_lengthy = s->site && (s->site->in.kind == INSN_SYSCALL ||
				       is_repeated(&s->site->in));
	return 0;
}

static int fetch_code(struct task *task, struct stop *s)
{
	siginfo_t info;
	int status = pt_siginfo(task->tid, &info);

	s->in.code = status ? 0 : info.si_code;
	return status;
}

static int fetch_signals(struct task *task, struct stop *s)
{
	struct procfs_status st;
	int sig = WSTOPSIG(s->in.status);

	if (procfs_status(task->tid, &st) < 0)
		return STATUS_GONE;
	s->in.is_caught_pending =
		((st.pending | st.shared_pending) & ~st.blocked & st.caught) != 0;
	s->in.is_caught = st.caught >> (sig - 1) & 1;
	return 0;
}

/* Fetches what the classification asks for. */
static int fetch(struct task *task, struct stop *s)
{
	unsigned have = 0, needs;
	int status = 0;

	while (!status && (needs = stop_needs(&s->in, have))) {
		if (needs & STOP_NEEDS_REGS)
			status = fetch_regs(task, s);
		if (!status && (needs & STOP_NEEDS_CODE))
			status = fetch_code(task, s);
		if (!status && (needs & STOP_NEEDS_SIGNALS))
			status = fetch_signals(task, s);
		have |= needs;
	}
	return status;
}

int handle_pc_fixup(struct task *task, const struct bpt_site *site, struct regs *regs)
{
	step_pc_fixup(&site->in, site->slot.at, site->slot.len, regs);
	return pt_set_regs(task->tid, regs);
}

/* The site has fired, and will be met once more for the same instruction. */
static void note_fired(struct task *task, const struct stop *s)
{
	bool is_call = s->site->in.kind == INSN_SYSCALL;

	task_note_fired(task, s->site->in.addr.v, &s->regs, is_call);
}

static int move_pc(struct task *task, struct stop *s, enum stop_pc pc)
{
	switch (pc) {
	case PC_SITE:
		note_fired(task, s);
		return pt_set_pc(task->tid, s->site->in.addr.v);
	case PC_NEXT:
		return handle_pc_fixup(task, s->site, &s->regs);
	case PC_REWIND:
		regs_rewind_syscall(&s->regs);
		return pt_set_regs(task->tid, &s->regs);
	case PC_GUARD:
		return stub_exit_guard(task);
	case PC_KEEP:
	case PC_LEAVE:
	case PC_OUT:
	case PC_DEMOTE:
		break;
	}
	return 0;
}

static bool dumps_core(int sig)
{
	switch (sig) {
	case SIGQUIT:
	case SIGILL:
	case SIGTRAP:
	case SIGABRT:
	case SIGBUS:
	case SIGFPE:
	case SIGSEGV:
	case SIGXCPU:
	case SIGXFSZ:
	case SIGSYS:
		return true;
	default:
		return false;
	}
}

/*
 * A signal that ends the process with a core dump: the dump and whoever
 * unwinds it must see the program's own code.
 */
static void restore_before_core(struct task *task, int sig)
{
	struct space *s = task->process->space;
	struct procfs_status st;

	if (!dumps_core(sig) || procfs_status(task->tid, &st) < 0)
		return;
	if ((st.caught | st.ignored) >> (sig - 1) & 1)
		return;
	space_restore(s, task->tid, s->mem);
}

/* Whether the signal tells the address of the instruction that caused it. */
static bool tells_pc(int sig)
{
	return sig == SIGILL || sig == SIGFPE;
}

/*
 * An instruction that faulted in its copy did so at its site, as far as the program can
 * tell.
 */
static void tell_site(const struct task *task, const struct bpt_site *site, int sig)
{
	siginfo_t info;

	if (!tells_pc(sig) || pt_siginfo(task->tid, &info) < 0)
		return;
	info.si_addr = (void *)(uintptr_t)site->in.addr.v;
	pt_set_siginfo(task->tid, &info);
}

/*
 * The thread is in a stub or in resident code: out of there, with the signal that it
 * stopped for still to come. STATUS_GONE: it died.
 */
static int bring_out(struct keeper *k, struct task *task, enum stop_pc pc, int sig)
{
	siginfo_t info;
	bool has_info = sig && pt_siginfo(task->tid, &info) == 0;
	int status = STATUS_FAULT;

	if (pc == PC_OUT)
		status = stub_exit_run(k, task);
	if (status == STATUS_FAULT)
		status = stub_exit_demote(k, task);
	if (status == STATUS_GONE)
		return status;
	/* What faults in the stub has the stub's address: the program knows another. */
	if (has_info && pc == PC_DEMOTE && tells_pc(sig)) {
		struct regs regs;

		if (pt_regs(task->tid, &regs) == 0)
			info.si_addr = (void *)(uintptr_t)regs_pc(&regs);
	}
	if (has_info)
		pt_set_siginfo(task->tid, &info);
	return 0;
}

static bool is_restartable(const struct stop *s)
{
	return s->in.where == WHERE_SLOT_AFTER && s->site->in.kind == INSN_SYSCALL &&
	       stop_is_restarted(s->in.result);
}

/*
 * Whether the handler's action restarts the call nobody tells: a step into the
 * handler shows where its frame returns to.
 */
static void step_into_handler(struct keeper *k, struct task *task, const struct stop *s,
			      int sig)
{
	struct regs regs;
	struct space_place place;
	int wstatus, tid = task->tid;
	uint64_t pc = 0;

	if (pt_step(tid, sig) < 0 ||
	    wait_queue_wait_tid(&k->waits, tid, WAIT_QUEUE_STUCK_MS, &wstatus) < 0)
		return;
	if (wstatus >> 16 != PT_EVENT_NONE || WSTOPSIG(wstatus) != SIGTRAP) {
		handle_stop(k, tid, wstatus);
		return;
	}
	if (pt_regs(tid, &regs) < 0)
		return;
	siteless_handled(&k->siteless, task, sig);
	if (mem_peek(tid, regs_interrupted_pc_at(regs_sp(&regs)), &pc, sizeof(pc)) ==
		    sizeof(pc) &&
	    pc == s->site->in.addr.v)
		note_fired(task, s);
	/* The handler has gone meanwhile, and the step was onto a site. */
	place = task_place(task, &regs);
	if (place.where == WHERE_TRAPPED)
		pt_set_pc(tid, place.site->in.addr.v);
	task_cont(task, 0);
}

/*
 * A moved system call that will be made again has fired already. Without a handler
 * that happens in the copy; with one, at the site, where it must not count twice.
 */
static void deliver_to_call(struct keeper *k, struct task *task, struct stop *s,
			    int sig)
{
	struct procfs_status st = {0};
	uint64_t bit = UINT64_C(1) << (sig - 1);

	procfs_status(task->tid, &st);
	if ((st.caught & bit || (dumps_core(sig) && !(st.ignored & bit))) &&
	    move_pc(task, s, PC_NEXT) < 0)
		return;
	siteless_sent(&k->siteless, task, sig);
	if (st.caught & bit &&
	    (s->in.result == STOP_RESTART_SYS || siteless_want_handler(&k->siteless))) {
		step_into_handler(k, task, s, sig);
		return;
	}
	if (st.caught & bit && s->in.result == STOP_RESTART_NOINTR)
		note_fired(task, s);
	task_cont(task, sig);
}

/* Whether this SIGTRAP would have been ignored, had our hits not reset that. */
static bool is_ignored_trap(const struct task *task, int sig)
{
	struct procfs_status st;

	return sig == SIGTRAP && task->process->ignores_trap &&
	       procfs_status(task->tid, &st) == 0 && !(st.caught >> (SIGTRAP - 1) & 1);
}

static void deliver(struct keeper *k, struct task *task, struct stop *s,
		    const struct stop_verdict *v)
{
	if (v->pc == PC_OUT || v->pc == PC_DEMOTE) {
		if (bring_out(k, task, v->pc, v->signal) == STATUS_GONE)
			return;
	}
	if (is_ignored_trap(task, v->signal)) {
		if (v->pc == PC_LEAVE || move_pc(task, s, v->pc) == 0)
			task_cont(task, 0);
		return;
	}
	restore_before_core(task, v->signal);
	if (v->pc == PC_LEAVE) {
		handle_leave(k, task, s->site, v->signal);
		return;
	}
	if (v->pc == PC_NEXT && is_restartable(s)) {
		deliver_to_call(k, task, s, v->signal);
		return;
	}
	if (v->event == STOP_FAULT && v->pc == PC_SITE)
		tell_site(task, s->site, v->signal);
	if (move_pc(task, s, v->pc) == 0)
		siteless_deliver(&k->siteless, task, v->signal);
}

static void resume(struct keeper *k, struct task *task, struct stop *s,
		   const struct stop_verdict *v)
{
	if (task->state == TASK_HELD)
		return; /* stopped once more for our own purposes */
	task->state = TASK_RUNNING;
	if (v->signal || v->pc == PC_OUT || v->pc == PC_DEMOTE) {
		deliver(k, task, s, v);
		return;
	}
	if (move_pc(task, s, v->pc) < 0)
		return;
	if (v->resume == RESUME_LISTEN && pt_listen(task->tid) == 0)
		task->state = TASK_LISTENING;
	else if (v->resume == RESUME_CONT)
		task_cont(task, 0);
}

static void act(struct keeper *k, struct task *task, struct stop *s)
{
	struct stop_verdict v = stop_classify(&s->in);

	switch (v.event) {
	case STOP_HIT:
		task->state = TASK_RUNNING;
		regs_set_pc(&s->regs, s->site->in.addr.v);
		handle_hit(k, task, s->site, &s->regs);
		return;
	case STOP_FIRST:
		handle_first(k, task, s->in.status);
		return;
	case STOP_CHILD:
		handle_child(k, task);
		break;
	case STOP_EXEC:
		handle_exec(k, task);
		return;
	case STOP_SYSCALL:
		siteless_call(&k->siteless, task);
		if (!handle_call(k, task))
			task_cont(task, 0);
		return;
	case STOP_GONE:
	case STOP_EARLY:
	case STOP_INTERRUPTED:
	case STOP_GROUP_STOP:
	case STOP_SIGNAL:
	case STOP_FAULT:
	case STOP_GUARD:
	case STOP_LEFT:
	case STOP_OTHER:
		if (s->in.status >> 16 == PT_EVENT_EXIT)
			siteless_exit(&k->siteless, task);
		break;
	}
	resume(k, task, s, &v);
}

/*
 * Into a stop from which calls can be injected the thread comes by one more
 * interrupt: it is continued, and settled again.
 */
static int settle_outside(struct keeper *k, struct task *task, int status,
			  const struct stop_verdict *v)
{
	enum stop_pc pc = v->pc == PC_DEMOTE ? PC_DEMOTE : PC_OUT;

	if (bring_out(k, task, pc, v->signal) == STATUS_GONE)
		return STATUS_GONE;
	if (status >> 16 != PT_EVENT_STOP) {
		restore_before_core(task, v->signal);
		return 0;
	}
	return pt_interrupt(task->tid) == 0 ? STATUS_BUSY : STATUS_GONE;
}

int handle_settle(struct keeper *k, struct task *task, int status, int *sig)
{
	struct stop s = {.in = {.status = status, .life = LIFE_KNOWN}};
	struct stop_verdict v;
	enum stop_pc pc;
	siginfo_t info;

	*sig = 0;
	if (fetch_regs(task, &s) < 0 || fetch(task, &s) < 0)
		return STATUS_GONE;
	v = stop_classify(&s.in);
	if (status >> 16 == PT_EVENT_STOP &&
	    (s.in.where == WHERE_TRAPPED || s.in.where == WHERE_BEHIND) &&
	    pt_is_queued(task->tid, SIGTRAP, &info) && info.si_code == SI_KERNEL)
		return STATUS_BUSY;
	pc = stop_settle(s.in.where, v.event == STOP_HIT);
	if (pc == PC_KEEP && v.pc == PC_REWIND)
		pc = PC_REWIND;
	*sig = v.signal;
	if (pc == PC_OUT)
		return settle_outside(k, task, status, &v);
	restore_before_core(task, v.signal);
	return move_pc(task, &s, pc) < 0 ? STATUS_GONE : 0;
}

/* A child that stops before its parent's event: kept until that comes. */
static void keep_early(struct keeper *k, struct task *task, int tid, int status)
{
	if (!task)
		task = task_add(&k->tasks, NULL, tid, TASK_EARLY);
	task->status = status;
	handle_orphans(k);
}

/* It stops for the first time since the process has resident code. */
static bool needs_slot(const struct task *task, int status)
{
	return !task->slot.tcb && task->process->space->detours &&
	       task->process->role != ROLE_FORKED && status >> 16 != PT_EVENT_EXEC;
}

/*
 * Whoever executes becomes the leader, whose tid is unknown when it was a zombie
 * at the attach.
 */
static struct task *new_leader(struct keeper *k, int tid)
{
	struct process *p = process_find(&k->tasks, tid);

	return p ? task_add(&k->tasks, p, tid, TASK_RUNNING) : NULL;
}

/* What the thread is stopped for from now on. */
static void watch(struct task *task, const struct stop *s)
{
	const struct process *p = task->process;

	if (p->has_exits && !task->watches_exit)
		task->watches_exit = pt_set_options(task->tid, process_options(p)) == 0;
	if (p->has_calls && s->in.status >> 16 == PT_EVENT_STOP &&
	    s->in.life == LIFE_KNOWN)
		siteless_found(task, &s->regs);
}

/*
 * The stop is (also) for profile probes: they see the thread as it would stand
 * without anything of ours, and out of resident code, whose stack tells nothing.
 */
static void take_samples(struct keeper *k, struct task *task, struct stop *s)
{
	struct regs regs = s->regs;

	if (s->in.where >= WHERE_RESIDENT) {
		if (bring_out(k, task, PC_OUT, 0) == STATUS_GONE ||
		    pt_regs(task->tid, &regs) < 0)
			return;
		s->in.where = WHERE_ORIGINAL;
	} else if (s->in.where >= WHERE_STUB_HEAD) {
		stub_exit_translate(task, s->detour, &regs);
	} else if (s->in.where == WHERE_SLOT_AFTER) {
		step_pc_fixup(&s->site->in, s->site->slot.at, s->site->slot.len, &regs);
	} else if (s->site) {
		regs_set_pc(&regs, s->site->in.addr.v);
	}
	sampler_fire(&k->sampler, &k->program, task, &regs);
	act(k, task, s);
}

void handle_stop(struct keeper *k, int tid, int status)
{
	struct task *task = task_find(&k->tasks, tid);
	struct stop s = {.in = {.status = status, .life = LIFE_KNOWN}};

	if (!task && status >> 16 == PT_EVENT_EXEC)
		task = new_leader(k, tid);
	if (!WIFSTOPPED(status)) {
		if (task)
			handle_gone(k, task, status);
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
	if (task->state == TASK_NEW)
		s.in.life = LIFE_NEW;
	if (needs_slot(task, status))
		task_take_slot(&k->tasks, task, task->process->role != ROLE_TRACED);
	if (fetch(task, &s) < 0)
		return;
	watch(task, &s);
	if (task->has_samples && status >> 16 == PT_EVENT_STOP &&
	    s.in.life == LIFE_KNOWN)
		take_samples(k, task, &s);
	else
		act(k, task, &s);
}
