/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/attach.h"
#include "tracer/keeper/threads/detach.h"
#include "tracer/keeper/os/elf.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/threads/privileged_exec.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Passes over the list of threads. A thread that is not yet seized may make new ones. */
#define PASSES_MAX 100

struct seizing {
	struct keeper *k;
	struct process *process;
	uint32_t added;
};

static int yama_scope(void)
{
	char c = '0';
	int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	if (read(fd, &c, 1) != 1)
		c = '0';
	close(fd);
	return c - '0';
}

static int refuse_traced(const struct procfs_status *st, struct err *e)
{
	struct procfs_status tracer;

	if (procfs_status(st->tracer, &tracer) < 0)
		snprintf(tracer.name, sizeof(tracer.name), "?");
	return err_set(e, STATUS_BUSY,
		       "it is traced already by '%s' (process %d): end that first",
		       tracer.name, st->tracer);
}

static int refuse_permission(const struct procfs_status *st, struct err *e)
{
	int scope = yama_scope();

	if (geteuid() != 0 && st->uid != geteuid())
		return err_set(e, STATUS_PERM,
			       "not permitted: it belongs to user %u: "
			       "become that user or root",
			       st->uid);
	if (scope == 3)
		return err_set(e, STATUS_PERM,
			       "not permitted: /proc/sys/kernel/yama/ptrace_scope "
			       "is 3, which forbids tracing until the next boot");
	if (scope && geteuid() != 0)
		return err_set(e, STATUS_PERM,
			       "not permitted: /proc/sys/kernel/yama/ptrace_scope "
			       "is %d: start the program with -c, become root, or "
			       "set it to 0",
			       scope);
	if (geteuid() != 0)
		return err_set(e, STATUS_PERM,
			       "not permitted: it is protected (a set-id program, "
			       "or one that made itself undumpable): become root");
	return err_set(e, STATUS_PERM,
		       "not permitted: CAP_SYS_PTRACE is missing, or a security "
		       "module forbids it");
}

/* Refuses what is known to be impossible before anything is tried. */
static int check(int pid, struct procfs_status *st, struct err *e)
{
	if (procfs_status(pid, st) < 0)
		return err_set(e, STATUS_NOENT, "no such process");
	if (st->tgid != pid)
		return err_set(e, STATUS_INVAL, "it is a thread of process %d",
			       st->tgid);
	if (pid == getpid() || pid == getppid())
		return err_set(e, STATUS_INVAL, "the tracer cannot trace itself");
	if (procfs_is_kernel(pid))
		return err_set(e, STATUS_UNSUP, "it is a kernel thread");
	if (st->tracer)
		return refuse_traced(st, e);
	if (elf_is_32bit(pid))
		return err_set(
			e, STATUS_UNSUP,
			"it is a 32-bit program: only 64-bit ones can be traced");
	return 0;
}

/*
 * It cannot be seized: dead, attached with its parent already, or not permitted. Or its
 * number has passed to a thread of another process, which is none of our business.
 */
static int judge_refusal(struct keeper *k, struct process *p, int tid)
{
	struct procfs_status st;

	if (procfs_status(tid, &st) < 0 || st.state == 'Z' || st.state == 'X' ||
	    st.tgid != p->pid)
		return 0;
	if (st.tracer != getpid())
		return STATUS_PERM;
	task_add(&k->tasks, p, tid, TASK_NEW);
	return 1;
}

/*
 * Detaches a thread that is of another process: the one that was listed has ended, and
 * its number was given away before it was seized.
 */
static void release_stranger(struct keeper *k, int tid, int tgid)
{
	struct process *p = process_add(&k->tasks, tgid, ROLE_TRACED, space_new());

	task_add(&k->tasks, p, tid, TASK_RUNNING);
	detach_process(k, p);
}

int attach_thread(struct keeper *k, struct process *p, int tid)
{
	struct procfs_status st;

	if (task_find(&k->tasks, tid) || procfs_is_worker(tid))
		return 0;
	if (pt_seize(tid, process_options(p, tid)) < 0)
		return judge_refusal(k, p, tid);
	/* From now on the number stays this thread's until we reap it. */
	if (procfs_status(tid, &st) == 0 && st.tgid != p->pid) {
		release_stranger(k, tid, st.tgid);
		return 0;
	}
	task_add(&k->tasks, p, tid, TASK_RUNNING);
	return 1;
}

static int seize_thread(void *ctx, int tid)
{
	struct seizing *s = ctx;
	int added = attach_thread(s->k, s->process, tid);

	if (added > 0)
		s->added++;
	return added < 0 ? added : 0;
}

static int seize_all(struct seizing *s)
{
	for (int pass = 0; pass < PASSES_MAX; pass++) {
		int status;

		s->added = 0;
		status = procfs_threads(s->process->pid, seize_thread, s);
		if (status < 0)
			return status;
		if (!s->added)
			return 0;
	}
	return STATUS_BUSY;
}

static int explain(const struct seizing *s, int status, struct err *e)
{
	struct procfs_status st;

	bool is_empty = !s->process->ntasks;

	if (procfs_status(s->process->pid, &st) < 0)
		return err_set(e, STATUS_GONE, "it exited meanwhile");
	if (st.state == 'Z' || st.state == 'X')
		return err_set(e, STATUS_GONE, "it has exited (a zombie)");
	if (status == STATUS_BUSY)
		return err_set(e, STATUS_BUSY,
			       "it makes threads faster than they "
			       "can be attached");
	if (status == STATUS_GONE || (!status && is_empty))
		return err_set(e, STATUS_GONE, "it exited meanwhile");
	if (st.tracer == getpid())
		return err_set(e, STATUS_GONE, "it exited meanwhile");
	return st.tracer ? refuse_traced(&st, e) : refuse_permission(&st, e);
}

/* Kernel threads, and processes that end, are alike in having no memory. */
static bool has_memory_of(const struct process *p, int pid)
{
	const int tid = process_living_tid(p);
	struct procfs_status st;

	return syscall(SYS_kcmp, tid, pid, KCMP_VM, 0, 0) == 0 &&
	       procfs_status(pid, &st) == 0 && st.mapped;
}

static void make_sharer(struct keeper *k, struct process *sharer,
			const struct process *p)
{
	space_unref(sharer->space);
	sharer->space = space_ref(p->space);
	sharer->role = ROLE_SHARER;
	sharer->ignores_trap = p->ignores_trap;
	sharer->has_execs = privileged_exec_is_lost();
	siteless_watch(&k->siteless, sharer);
}

/* 1: it is traced from now on. 0: there is no need to. */
static int seize_sharer(struct keeper *k, int of, int pid, struct err *e)
{
	const struct process *p = process_find(&k->tasks, of);
	struct seizing s = {.k = k};
	int status;

	if (!p || process_find(&k->tasks, pid) || !has_memory_of(p, pid))
		return 0;
	s.process = process_add(&k->tasks, pid, ROLE_TRACED, space_new());
	status = seize_all(&s);
	/* Now it can neither execute another program nor end unseen. */
	if (!status && s.process->ntasks && has_memory_of(p, pid)) {
		make_sharer(k, s.process, p);
		return 1;
	}
	detach_process(k, s.process);
	p = process_find(&k->tasks, of); /* stops of others were handled */
	return p && has_memory_of(p, pid)
		       ? err_set(e, STATUS_PERM,
				 "its memory is that of process %d as well, which "
				 "cannot be traced: a breakpoint would end that",
				 pid)
		       : 0;
}

static int seize_new_sharers(struct keeper *k, int of, struct err *e)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int status = 0, n = 0;

	while (dir && status >= 0 && (entry = readdir(dir))) {
		int pid = atoi(entry->d_name);

		status = pid > 0 ? seize_sharer(k, of, pid, e) : 0;
		n += status;
	}
	if (dir)
		closedir(dir);
	return status < 0 ? status : n;
}

/*
 * Other processes with its memory, by clone(2) with CLONE_VM, come to its breakpoints: so
 * does a child of vfork(2). What they make from now on is traced from the start.
 */
static int seize_sharers(struct keeper *k, int of, struct err *e)
{
	int n = 1;

	for (int pass = 0; pass < PASSES_MAX && n > 0; pass++)
		n = seize_new_sharers(k, of, e);
	if (n >= 0 && !process_find(&k->tasks, of))
		return err_set(e, STATUS_GONE, "it exited meanwhile");
	return n < 0 ? n : 0;
}

static int refuse_known(const struct process *p, struct err *e)
{
	return err_set(e, STATUS_BUSY,
		       p->role == ROLE_SHARER
			       ? "it shares the memory of a process that is traced"
			       : "it is traced by this run already");
}

int attach_process(struct keeper *k, int pid, bool is_created, struct err *e)
{
	struct seizing s = {.k = k, .process = process_find(&k->tasks, pid)};
	struct procfs_status st;
	int status;

	if (s.process)
		return refuse_known(s.process, e);
	status = check(pid, &st, e);
	if (status < 0)
		return status;
	s.process = process_add(&k->tasks, pid, ROLE_TRACED, space_new());
	s.process->is_created = is_created;
	s.process->ignores_trap = st.ignored >> (SIGTRAP - 1) & 1;
	status = seize_all(&s);
	if (status || space_open(s.process->space, process_living_tid(s.process)))
		explain(&s, status, e);
	else if (is_created || !seize_sharers(k, pid, e))
		return 0;
	s.process = process_find(&k->tasks, pid);
	if (s.process)
		detach_process(k, s.process); /* and those that share its memory */
	return e->status;
}
