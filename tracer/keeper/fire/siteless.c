/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/fire/siteless.h"
#include "tracer/keeper/fault_kind.h"
#include "tracer/keeper/fire/fire.h"
#include "tracer/keeper/os/ptrace.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int check(const struct siteless *s, const struct keeper_siteless *one,
		 struct err *e)
{
	static const uint64_t limits[] = {
		[KEEPER_SITELESS_PROFILE] = UINT64_MAX,
		[KEEPER_SITELESS_PROC] = KEEPER_PROC_COUNT,
		[KEEPER_SITELESS_CALL_ENTRY] = SITELESS_CALLS,
		[KEEPER_SITELESS_CALL_RETURN] = SITELESS_CALLS,
	};

	if (one->kind >= KEEPER_SITELESS_COUNT || one->value >= limits[one->kind])
		return err_set(e, STATUS_BADFMT, "there is no source %u of this kind",
			       (unsigned)one->value);
	if (one->probe >= s->program->nprobes)
		return err_set(e, STATUS_BADFMT, "there is no probe number %u",
			       one->probe);
	return 0;
}

static void add_proc(struct siteless_probes *out, const struct keeper_siteless *one)
{
	out->proc[one->value] = one->probe + 1;
	out->has_calls |= one->value == KEEPER_PROC_EXEC ||
			  one->value == KEEPER_PROC_EXEC_FAILURE ||
			  one->value == KEEPER_PROC_SIGNAL_CLEAR;
	out->has_exits |=
		one->value == KEEPER_PROC_EXIT || one->value == KEEPER_PROC_LWP_EXIT;
}

static void add(struct siteless *s, const struct keeper_siteless *one)
{
	struct siteless_probes *out = &s->probes;

	switch ((enum keeper_siteless_kind)one->kind) {
	case KEEPER_SITELESS_PROFILE:
		sampler_add(s->sampler, one->probe, one->value);
		break;
	case KEEPER_SITELESS_PROC:
		add_proc(out, one);
		break;
	case KEEPER_SITELESS_CALL_ENTRY:
		out->enter[one->value] = one->probe + 1;
		out->has_calls = true;
		break;
	case KEEPER_SITELESS_CALL_RETURN:
		out->leave[one->value] = one->probe + 1;
		out->has_calls = true;
		break;
	case KEEPER_SITELESS_COUNT:
		break;
	}
}

void siteless_watch(const struct siteless *s, struct process *p)
{
	p->has_calls = s->probes.has_calls && process_is_observed(p);
	p->has_exits = s->probes.has_exits && process_is_observed(p);
	if (!p->has_calls && !p->has_exits)
		return;
	/* A thread gets its options in a stop. */
	for (struct task *t = p->tasks; t; t = t->next)
		if (t->state == TASK_RUNNING)
			task_interrupt(t);
}

int siteless_load(struct siteless *s, struct link_memory table, struct err *e)
{
	size_t n = table.bytes / sizeof(struct keeper_siteless);
	struct keeper_siteless *list;
	int status = 0;

	sampler_clear(s->sampler, s->tasks);
	s->probes = (struct siteless_probes){0};
	if (table.bytes % sizeof(*list))
		return err_set(e, STATUS_BADFMT, "the table of sources is malformed");
	list = link_copy(table, e);
	if (!list)
		return e->status;
	for (size_t i = 0; i < n && !status; i++)
		status = check(s, &list[i], e);
	for (size_t i = 0; i < n && !status; i++)
		add(s, &list[i]);
	free(list);
	sampler_start(s->sampler);
	for (struct process *p = s->tasks->processes; p; p = p->next)
		siteless_watch(s, p);
	return status;
}

/* Fires the probe (index + 1; 0: none) with the arguments in f. */
static void fire(struct siteless *s, struct fire *f, uint32_t probe)
{
	f->program = s->program;
	if (probe && process_is_observed(f->task->process))
		fire_probe(f, probe - 1);
}

void siteless_proc(struct siteless *s, struct task *task, enum keeper_proc what,
		   const uint64_t *args, size_t nargs)
{
	struct regs regs = {0};
	struct fire f = {.task = task, .regs = &regs, .args = args, .nargs = nargs};

	if (!s->probes.proc[what])
		return;
	pt_regs(task->tid, &regs); /* all 0 for a thread that has gone */
	fire(s, &f, s->probes.proc[what]);
}

static bool is_exec(int nr)
{
	return nr == SYS_execve || nr == SYS_execveat;
}

static void on_enter(struct siteless *s, struct task *task, const struct regs *r,
		     int nr)
{
	uint64_t args[REGS_SYSCALL_ARGS];
	struct fire f = {
		.task = task, .regs = r, .args = args, .nargs = ARRAY_LEN(args)};
	uint64_t path = regs_syscall_arg(r, nr == SYS_execve ? 0 : 1);

	for (uint32_t i = 0; i < ARRAY_LEN(args); i++)
		args[i] = regs_syscall_arg(r, i);
	fire(s, &f, s->probes.enter[nr]);
	if (is_exec(nr))
		siteless_proc(s, task, KEEPER_PROC_EXEC, &path, 1);
}

/* The result as the C library returns it: -1, and errno, for a failure. */
static void on_leave(struct siteless *s, struct task *task, const struct regs *r,
		     int nr, int64_t result)
{
	bool failed = result < 0 && result >= -4095;
	uint64_t value = failed ? UINT64_MAX : (uint64_t)result;
	const uint64_t args[] = {value, value};
	struct fire f = {.task = task,
			 .regs = r,
			 .args = args,
			 .nargs = ARRAY_LEN(args),
			 .error = failed ? (uint32_t)-result : 0};
	uint64_t error = f.error;

	fire(s, &f, s->probes.leave[nr]);
	if (is_exec(nr) && failed)
		siteless_proc(s, task, KEEPER_PROC_EXEC_FAILURE, &error, 1);
	/* Such a signal is never delivered: the call's result is the signal. */
	if (nr == SYS_rt_sigtimedwait && !failed)
		siteless_proc(s, task, KEEPER_PROC_SIGNAL_CLEAR, &value, 1);
}

static bool is_fork(int nr)
{
	return nr == SYS_fork || nr == SYS_vfork || nr == SYS_clone || nr == SYS_clone3;
}

/* A child stops before it is back in user mode, but not at the call's exit. */
void siteless_born(struct siteless *s, struct task *task)
{
	struct regs regs;
	int nr;

	siteless_proc(s, task, KEEPER_PROC_START, NULL, 0);
	siteless_proc(s, task, KEEPER_PROC_LWP_START, NULL, 0);
	if (!task->process->has_calls)
		return;
	if (pt_regs(task->tid, &regs) < 0) {
		siteless_miss(s, task);
		return;
	}
	nr = (int)regs_syscall(&regs);
	if (is_fork(nr))
		on_leave(s, task, &regs, nr, 0);
}

struct syscalls_stop siteless_stop(const struct regs *r)
{
	return (struct syscalls_stop){.nr = regs_syscall(r),
				      .pc = taddr_of(regs_pc(r)),
				      .sp = taddr_of(regs_sp(r)),
				      .result = regs_syscall_result(r)};
}

void siteless_miss(const struct siteless *s, const struct task *task)
{
	if (s->program->state && procfs_state(task->tid) == 't')
		atomic_fetch_add_explicit(
			&state_drops(s->program->state, STATE_SLOT_KEEPER)->records, 1,
			memory_order_relaxed);
}

void siteless_enter(struct siteless *s, struct task *task, const struct regs *regs)
{
	struct syscalls_stop stop = siteless_stop(regs);
	int nr = syscalls_enter(&task->calls, &stop);

	if (nr >= 0 && nr < SITELESS_CALLS)
		on_enter(s, task, regs, nr);
}

void siteless_leave(struct siteless *s, struct task *task, const struct regs *regs,
		    const struct syscalls_stop *stop)
{
	int64_t result = 0;
	int nr = syscalls_leave(&task->calls, stop, &result);

	if (nr >= 0 && nr < SITELESS_CALLS)
		on_leave(s, task, regs, nr, result);
}

void siteless_found(struct task *task, const struct regs *regs)
{
	struct syscalls_stop stop = siteless_stop(regs);
	const struct cut_call *cut = &task->cut;

	if (cut->is_on && stop.nr < 0 && stop.pc.v == cut->pc && stop.sp.v == cut->sp) {
		stop.nr = cut->nr;
		stop.pc = taddr_add(stop.pc, REGS_SYSCALL_BYTES);
		stop.is_repeated = true;
	}
	syscalls_found(&task->calls, &stop);
}

/* The exit from the call is not always a stop: the front may hold the thread here. */
static void leave_exec(struct siteless *s, struct task *task)
{
	struct regs regs;
	struct syscalls_stop stop;

	if (pt_regs(task->tid, &regs) < 0) {
		siteless_miss(s, task);
		return;
	}
	stop = siteless_stop(&regs);
	syscalls_exec(&task->calls, &stop);
	on_leave(s, task, &regs, stop.nr == SYS_execveat ? SYS_execveat : SYS_execve,
		 0);
}

void siteless_exec(struct siteless *s, struct task *task)
{
	task->is_fresh = !s->probes.proc[KEEPER_PROC_EXEC_SUCCESS];
	task->is_fresh_call = !task->process->has_calls;
	siteless_proc(s, task, KEEPER_PROC_EXEC_SUCCESS, NULL, 0);
	if (task->process->has_calls)
		leave_exec(s, task);
}

void siteless_watch_end(struct task *task)
{
	const struct process *p = task->process;
	const bool watches = process_watches_end(p, task->tid);

	/* A new thread has what the one had that made it. */
	if ((watches != task->watches_exit || task->state == TASK_NEW) &&
	    pt_set_options(task->tid, process_options(p, task->tid)) == 0)
		task->watches_exit = watches;
}

void siteless_resume(struct siteless *s, struct task *task)
{
	siteless_watch_end(task); /* its probes were not known when it stopped */
	if (task->is_fresh)
		siteless_proc(s, task, KEEPER_PROC_EXEC_SUCCESS, NULL, 0);
	if (task->is_fresh_call && task->process->has_calls)
		leave_exec(s, task);
	task->is_fresh = task->is_fresh_call = false;
}

static bool is_last(const struct process *p)
{
	for (const struct task *t = p->tasks; t; t = t->next)
		if (!t->is_ending)
			return false;
	return true;
}

static void fire_exit(struct siteless *s, struct task *task, int status)
{
	uint64_t args[2] = {CLD_EXITED, (uint64_t)WEXITSTATUS(status)};

	if (WIFSIGNALED(status)) {
		args[0] = WCOREDUMP(status) ? CLD_DUMPED : CLD_KILLED;
		args[1] = (uint64_t)WTERMSIG(status);
	}
	siteless_proc(s, task, KEEPER_PROC_LWP_EXIT, NULL, 0);
	task->is_ending = true;
	if (is_last(task->process))
		siteless_proc(s, task, KEEPER_PROC_EXIT, args, 2);
}

void siteless_exit(struct siteless *s, struct task *task)
{
	unsigned long status = 0;

	if (task->is_ending)
		return;
	pt_event_message(task->tid, &status);
	fire_exit(s, task, (int)status);
}

void siteless_gone(struct siteless *s, struct task *task, int status)
{
	if (task->process && task->process->has_exits && !task->is_ending)
		fire_exit(s, task, status);
}

void siteless_handled(struct siteless *s, struct task *task, int sig)
{
	struct regs regs;
	uint64_t args[3] = {(uint64_t)sig};

	if (pt_regs(task->tid, &regs) < 0) {
		siteless_miss(s, task);
		return;
	}
	args[1] = regs_arg(&regs, 1); /* the siginfo_t */
	args[2] = regs_pc(&regs);
	siteless_proc(s, task, KEEPER_PROC_SIGNAL_HANDLE, args, 3);
}

/*
 * A step with the signal ends before the handler's first instruction. Its address can be
 * seen only there.
 */
static void enter_handler(struct siteless *s, struct task *task, int sig)
{
	int status;

	if (pt_step(task->tid, sig) < 0 ||
	    wait_queue_wait_step(s->waits, task->tid, &status) < 0)
		return;
	if (status >> 16 != PT_EVENT_NONE || WSTOPSIG(status) != SIGTRAP) {
		wait_queue_keep(s->waits, task->tid, status);
		return;
	}
	siteless_handled(s, task, sig);
	task_cont(task, 0);
}

bool siteless_want_handler(const struct siteless *s)
{
	return s->probes.proc[KEEPER_PROC_SIGNAL_HANDLE] != 0;
}

/* Signals whose default is to do nothing (signal(7)). */
static bool is_ignored_by_default(int sig)
{
	return sig == SIGCHLD || sig == SIGCONT || sig == SIGURG || sig == SIGWINCH;
}

static void fire_fault(struct siteless *s, struct task *task)
{
	siginfo_t info;
	uint64_t args[4];

	if (!s->probes.proc[KEEPER_PROC_FAULT] || pt_siginfo(task->tid, &info) < 0)
		return;
	args[0] = fault_kind(info.si_signo, info.si_code);
	args[1] = (uint64_t)info.si_signo;
	args[2] = (uint64_t)info.si_code;
	args[3] = (uintptr_t)info.si_addr;
	if (args[0])
		siteless_proc(s, task, KEEPER_PROC_FAULT, args, ARRAY_LEN(args));
}

void siteless_sent(struct siteless *s, struct task *task, int sig)
{
	const uint32_t *wanted = s->probes.proc;
	uint64_t args[4] = {(uint64_t)task->tid, (uint64_t)task->process->pid,
			    (uint64_t)sig};
	struct procfs_status st = {0};
	uint64_t bit = UINT64_C(1) << (sig - 1);
	siginfo_t info;

	fire_fault(s, task);
	if (!wanted[KEEPER_PROC_SIGNAL_SEND] && !wanted[KEEPER_PROC_SIGNAL_DISCARD])
		return;
	if (pt_siginfo(task->tid, &info) == 0 && info.si_code <= 0)
		args[3] = (uint64_t)info.si_pid;
	siteless_proc(s, task, KEEPER_PROC_SIGNAL_SEND, args, 4);
	procfs_status(task->tid, &st);
	if (!(st.caught & bit) && (st.ignored & bit || is_ignored_by_default(sig)))
		siteless_proc(s, task, KEEPER_PROC_SIGNAL_DISCARD, args, 4);
}

void siteless_deliver(struct siteless *s, struct task *task, int sig)
{
	struct procfs_status st;

	if (sig)
		siteless_sent(s, task, sig);
	if (sig && siteless_want_handler(s) && procfs_status(task->tid, &st) == 0 &&
	    st.caught >> (sig - 1) & 1)
		enter_handler(s, task, sig);
	else
		task_cont(task, sig);
}
