/* SPDX-License-Identifier: MIT */
/*
 * The hot path: a thread has hit one of our breakpoints. Between waitid and PTRACE_CONT
 * there is a read of the pc, or of all registers where the last hit needed them; what the
 * clauses read; and one write of registers.
 *
 * Known limit: the trap of an int3 is a forced SIGTRAP. If the thread blocks or ignores
 * SIGTRAP at that moment, the kernel unblocks it and resets its action to the default
 * before the tracer sees the stop (force_sig_info_to_task()). Where we have a handler of
 * our own in the process (inject/trap_handler.h), threads that block SIGTRAP are seen to
 * when we attach, and what happens later is found while sites are hit: then the handler
 * is set again, and the action that the program had is known. Elsewhere that action
 * cannot be read. If the program ignored SIGTRAP when we attached, that is remembered
 * (process.ignores_trap). A program that blocks or ignores it later loses that at its
 * next hit.
 */
#include "tracer/keeper/threads/hit.h"
#include "tracer/keeper/fire/unwound.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/os/stop.h"
#include "tracer/keeper/threads/detour_remove.h"
#include "tracer/keeper/threads/event.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/vec.h"

#include <string.h>
#include <sys/wait.h>

#define STEP_TURNS 64

/* Code that the program is not known to write to is looked at as often as this. */
#define COMPARE_NS 1000000

/* How often our SIGTRAP handler is looked for, and how often it is set again. */
#define LOOK_NS 20000000
#define ARM_NS	1000000000

/*
 * The signal of the stop if the instruction raised it, or 0 for another stop. Two others
 * must not be lost: SIGSTOP, which cannot be blocked, is delivered with the next step
 * (*pass); an event stop (of job control, or an interrupt of ours) must come again after
 * the step (*again).
 */
static int step_signal(int wstatus, int *pass, bool *again)
{
	*pass = 0;
	if (wstatus >> 16 == PT_EVENT_STOP)
		*again = true;
	if (wstatus >> 16 != PT_EVENT_NONE || WSTOPSIG(wstatus) == PT_SYSCALL_STOP)
		return 0;
	if (WSTOPSIG(wstatus) != SIGSTOP)
		return WSTOPSIG(wstatus);
	*pass = SIGSTOP;
	return 0;
}

static int step_turns(struct keeper *k, int tid, bool *again)
{
	int pass = 0;

	for (int turns = 0; turns < STEP_TURNS; turns++) {
		int wstatus, sig, status = pt_step(tid, pass);

		if (!status)
			status = wait_queue_wait_step(&k->waits, tid, &wstatus);
		if (status)
			return status;
		sig = step_signal(wstatus, &pass, again);
		if (sig)
			return sig;
	}
	return STATUS_BUSY;
}

/*
 * Runs one instruction at the pc, with other signals blocked. Returns SIGTRAP if it ran,
 * the signal of its fault if it could not, or a negative status.
 */
static int step_once(struct keeper *k, struct task *task)
{
	bool again = false;
	int result, status = task_block_signals(task);

	if (status)
		return status;
	result = step_turns(k, task->tid, &again);
	if (wait_queue_is_lost(&k->waits, task->tid))
		return STATUS_GONE;
	task_unblock_signals(task);
	if (again)
		pt_interrupt(task->tid);
	return result;
}

static void note_fired(struct task *task, const struct bpt_site *site)
{
	struct regs regs;

	if (pt_regs(task->tid, &regs) < 0)
		return;
	task_note_fired(task, site->in.addr, &regs, false);
}

/* The program may have written other code there, which stays. */
static void exchange(const struct space *s, const struct bpt_site *site, uint8_t from,
		     uint8_t to)
{
	uint8_t now;

	if (mem_read(s->mem, site->in.addr, &now, 1) >= 0 && now == from)
		mem_write(s->mem, site->in.addr, &to, 1);
}

/*
 * Emulation could not reach memory that the instruction needs. The processor may still
 * succeed (a stack that grows), or the instruction must fault as it does untraced. So it
 * runs at the site, with the original byte written for that one step. This is rare (once
 * for each new page of stack), and the only time that a breakpoint is lifted.
 */
static void run_in_place(struct keeper *k, struct task *task,
			 const struct bpt_site *site)
{
	const struct space *s = task->process->space;
	int sig;

	if (pt_set_pc(task->tid, site->in.addr) < 0)
		return;
	if (site->is_set)
		exchange(s, site, BPT_BYTE, site->in.bytes[0]);
	sig = step_once(k, task);
	if (site->is_set)
		exchange(s, site, site->in.bytes[0], BPT_BYTE);
	if (sig < 0)
		return;
	if (sig != SIGTRAP)
		note_fired(task, site);
	task_cont(task, sig == SIGTRAP ? 0 : sig);
}

static bool is_only_pc(const struct regs *a, const struct regs *b)
{
	struct regs same = *a;

	regs_set_pc(&same, regs_pc(b));
	return memcmp(&same, b, sizeof(same)) == 0;
}

/* Before the thread, whose trap is not consumed, is moved (struct undo_mark). */
static void mark(const struct task *task, taddr pc, uint64_t sp)
{
	undo_log_mark(&task->process->space->undo_log, pc.v, sp);
}

static void go_on(struct keeper *k, struct task *task, uint64_t hit_ns)
{
	task_time_go(task);
	if (task_stops_at_calls(task))
		task_cont(task, 0);
	else
		cpu_cont(&k->cpu, task->tid, hit_ns);
	undo_log_unmark(&task->process->space->undo_log);
}

/* The thread, which hit the site at hit_ns, goes on past its instruction. */
static void go_past(struct keeper *k, struct task *task, const struct bpt_site *site,
		    struct regs *regs, uint64_t hit_ns)
{
	struct regs before;
	struct step_memory mem;
	int status;

	if (site->how == STEP_XOL) {
		mark(task, site->slot.at, 0);
		if (pt_set_pc(task->tid, site->slot.at) == 0)
			go_on(k, task, hit_ns);
		return;
	}
	before = *regs;
	mem = fire_memory(task);
	if (step_emulate(&site->in, regs, &mem) < 0) {
		run_in_place(k, task, site);
		return;
	}
	/* Registers beside the pc are known only where they change. */
	mark(task, taddr_of(regs_pc(regs)), regs_sp(regs));
	status = is_only_pc(&before, regs)
			 ? pt_set_pc(task->tid, taddr_of(regs_pc(regs)))
			 : pt_set_regs(task->tid, regs);
	if (!status)
		go_on(k, task, hit_ns);
}

static void hold(struct keeper *k, struct task *task, const struct fire *f)
{
	const struct bpt_site *site = f->site;
	struct process *p = task->process;

	mark(task, site->in.addr, 0);
	if (pt_set_pc(task->tid, site->in.addr) < 0)
		return;
	task->state = TASK_HELD;
	task->held_at = site->in.addr;
	task->mapped = f->mapped;
	task->maps_often = f->maps_often;
	task->held_hits = (uint32_t)p->space->bpts.hits.len;
	if (!p->held)
		event_hold(k, task);
}

/* Before the thread goes on: that may end its process, and with it the site. */
static void count_site(struct keeper *k, struct space *s, const struct fire *f)
{
	struct bpt_site *site = &s->bpts.sites.data[f->site - s->bpts.sites.data];

	site->served += f->nfpid;
	if (site->served <= k->by_breakpoint.hottest.hits)
		return;
	k->by_breakpoint.hottest.hits = site->served;
	k->by_breakpoint.hottest.probe = f->fpid->probe;
	k->by_breakpoint.hottest.arg0 = f->fpid->arg0;
}

/* An int3 of the program's new code. */
static bool is_own_trap(const struct space *s, const struct bpt_site *site)
{
	uint8_t now;

	return mem_read(s->mem, site->in.addr, &now, 1) >= 0 && now == BPT_BYTE;
}

static void leave_site(struct task *task, taddr at)
{
	mark(task, at, 0);
	if (pt_set_pc(task->tid, at) == 0)
		task_cont(task, 0);
	undo_log_unmark(&task->process->space->undo_log);
}

/* A comparison costs a fifth of a hit. */
static void compare(struct space *s, struct bpt_site *site, uint64_t now)
{
	if (!site->may_change && now - site->looked_ns < COMPARE_NS)
		return;
	site->looked_ns = now;
	if (space_finds_changed(s, site))
		space_lose_site(s, site);
}

/*
 * A breakpoint that is no more: the thread goes on at the program's own code. So it does
 * if that has another operand than it had: we would run the former instruction.
 */
static bool leave_unset(struct task *task, const struct bpt_site *site, uint64_t now)
{
	struct space *s = task->process->space;

	if (site->is_set)
		compare(s, &s->bpts.sites.data[bpt_number(&s->bpts, site)], now);
	if (site->is_set)
		return false;
	if ((site->is_retired || site->has_changed) && is_own_trap(s, site))
		task_cont(task, SIGTRAP);
	else
		leave_site(task, site->in.addr);
	return true;
}

/*
 * Is our SIGTRAP handler still there? Its loss is seen at once; whether another one has
 * taken its place, only by the thread itself, which is asked now and then.
 */
static void look_after_handler(struct task *task, uint64_t now)
{
	struct undo_log *log = &task->process->space->undo_log;
	struct procfs_status st;

	if (now - log->looked_ns < LOOK_NS || task->process->role != ROLE_TRACED)
		return;
	log->looked_ns = now;
	if (now - log->armed_ns < ARM_NS && procfs_status(task->tid, &st) == 0 &&
	    st.caught & pt_mask_of(SIGTRAP))
		return;
	log->is_due = task_interrupt(task) == 0;
}

/* The thread has made code writable: breakpoints take the place of jumps there. */
static void demote(struct keeper *k, struct task *task, struct addr_range code)
{
	struct space *s = task->process->space;
	struct bpt_list numbers = {0};

	space_list_detours(s, code, &numbers);
	if (numbers.len && detour_remove_all(k, task, s, &numbers) == 0)
		event_writable(k, task->process, (uint32_t)numbers.len);
	vec_release(&numbers);
	space_note_writable(s, code);
}

void hit_handle(struct keeper *k, struct task *task, const struct bpt_site *site,
		struct regs *regs, bool has_pc_only)
{
	struct fire_later later = {.regs = regs, .is_due = has_pc_only};
	struct fire f = {.program = &k->program,
			 .task = task,
			 .site = site,
			 .regs = regs,
			 .later = &later};
	const taddr at = site->in.addr;
	bool has_fired, is_hold = false;
	uint64_t begin = clock_now_ns();

	if (leave_unset(task, site, begin))
		return;
	if (task->process->space->undo_log.head)
		look_after_handler(task, begin);
	has_fired = task_has_fired(task, site->in.addr, regs);
	if (!has_fired && room_is_wanted(&k->room, task->process) && fire_records(&f)) {
		room_hold(&k->room, task, at);
		return;
	}
	if (!has_fired && task->process->role == ROLE_TRACED)
		is_hold = fire_site(&f);
	if (f.leave)
		unwound_reach(&k->program, task, fire_regs(&f),
			      (enum keeper_leave)f.leave);
	if (f.fpid)
		count_site(k, task->process->space, &f);
	if (f.npid && pid_rate_add(&k->pid_rate, f.npid, begin))
		event_busy(k, task->process, f.pid->probe);
	if (f.copy)
		k->copy_process(k, task, fire_regs(&f), f.copy);
	if (f.writable.hi.v) {
		demote(k, task, f.writable);
		f.site = bpt_find(&task->process->space->bpts, at);
	}
	if (f.site && f.site->how == STEP_EMULATE && step_needs_regs(&f.site->in))
		fire_regs(&f);
	task->needs_regs = later.is_used;
	if (!f.site)
		leave_site(task, at);
	else if (is_hold)
		hold(k, task, &f);
	else
		go_past(k, task, f.site, regs, begin);
	if (f.fpid) {
		k->by_breakpoint.hits += f.nfpid;
		k->by_breakpoint.ns += clock_now_ns() - begin;
	}
}

void hit_finish_copy(struct keeper *k, struct task *task, const struct bpt_site *site,
		     int sig)
{
	struct regs regs;
	uint64_t next = site->in.addr.v + site->in.len;
	siginfo_t info;
	int stop;

	if (pt_siginfo(task->tid, &info) < 0)
		return;
	stop = step_once(k, task);
	if (stop < 0 || pt_regs(task->tid, &regs) < 0)
		return;
	if (stop == SIGTRAP) {
		/* After a ret or jump in the slot the pc may be anywhere. */
		if (regs_pc(&regs) == site->slot.at.v + site->slot.insn_len)
			pt_set_pc(task->tid, taddr_of(next));
	} else {
		/*
		 * It faults: after the signal's handler it will fault again, at the
		 * site.
		 */
		note_fired(task, site);
		pt_set_pc(task->tid, site->in.addr);
	}
	if (pt_set_siginfo(task->tid, &info) == 0)
		siteless_deliver(&k->siteless, task, sig);
}

/*
 * After an exec the thread has not run the instruction at its pc: a breakpoint there will
 * trap. Otherwise the front may have added probes to the site while the thread was held
 * there (that is why it was held), and they fire now.
 */
static void release_held(struct keeper *k, struct task *task)
{
	struct regs regs;
	struct bpt_site *site = bpt_find(&task->process->space->bpts, task->held_at);
	struct fire f = {.program = &k->program,
			 .task = task,
			 .site = site,
			 .regs = &regs,
			 .after = task->held_hits};

	siteless_resume(&k->siteless, task);
	task->state = TASK_RUNNING;
	if (stop_is_group_stop(task->status)) /* a new thread: left to the loop */
		wait_queue_keep(&k->waits, task->tid, task->status);
	else if (!task->held_at.v || !site || !site->is_set)
		task_cont(task, 0);
	else if (pt_regs(task->tid, &regs) < 0)
		return;
	else if (task->process->role == ROLE_TRACED && fire_site(&f))
		hold(k, task, &f);
	else
		go_past(k, task, site, &regs, clock_now_ns());
}

void hit_resume_held(struct keeper *k, struct process *p)
{
	struct task *task = p->held;

	p->held = NULL;
	if (task && task->state == TASK_HELD)
		release_held(k, task);
	for (task = p->tasks; task && !p->held; task = task->next)
		if (task->state == TASK_HELD && !task->waits_since)
			event_hold(k, task);
}
