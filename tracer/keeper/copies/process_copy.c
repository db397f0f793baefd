/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/copies/process_copy.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/memory_file.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/space/remote_call.h"
#include "tracer/keeper/space/return_stub.h"
#include "tracer/keeper/threads/child.h"
#include "tracer/keeper/copies/core_notes.h"
#include "tracer/keeper/threads/event.h"
#include "vm/base/host/vec.h"

#include <errno.h>
#include <linux/sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BIRTH_MS 2000 /* a child stops before its first instruction */

/* A copy under construction. */
struct copying {
	struct keeper *k;
	struct space *space;
	int child, copy; /* 0: not made */
	int child_here;	 /* the child as its parent sees it */
	int mem;	 /* of both, owned; -1: not open */
	const char *why; /* it failed */
};

static bool failed(struct copying *c, const char *why)
{
	if (!c->why)
		c->why = why;
	return false;
}

/* The first stop of a child that the keeper has asked for. */
static bool await_birth(struct copying *c, int tid)
{
	struct task *early = task_find(&c->k->tasks, tid);
	int status;

	if (early && !early->process) {
		task_remove(&c->k->tasks, early);
		return true;
	}
	return wait_queue_wait_tid(&c->k->waits, tid, BIRTH_MS, &status) == 0 &&
	       WIFSTOPPED(status);
}

/* The thread of r makes a child, which stays stopped and dies with us: its tid, or 0. */
static int make_child(struct copying *c, struct remote_call *r, uint64_t flags,
		      int *number)
{
	const uint64_t args[6] = {flags};
	int64_t result = -1;

	if (remote_call_make(r, SYS_clone, args, &result) < 0 || result < 0) {
		failed(c, result < 0 && result > -4096 ? strerror((int)-result)
						       : "the process is ending");
		return 0;
	}
	*number = (int)result;
	if (!r->child || !await_birth(c, r->child)) {
		failed(c, "its copy did not stop");
		return r->child;
	}
	if (pt_set_options(r->child, PT_OPTION_EXITKILL) < 0)
		failed(c, "its copy has ended");
	return r->child;
}

/* In the child: our memory goes, and the copy is made. */
static void copy_in_child(struct copying *c)
{
	struct process p = {
		.pid = c->child, .role = ROLE_FORKED, .space = c->space, .ntasks = 1};
	struct task child = {.tid = c->child, .process = &p, .state = TASK_STOPPED};
	struct remote_call r;
	int number;

	c->mem = mem_open(c->child);
	if (c->mem < 0 || remote_call_begin(&r, &c->k->waits, &child, c->mem) < 0) {
		failed(c, "its copy cannot be controlled");
		return;
	}
	child_unmap_copied(&r, c->space);
	c->copy = make_child(c, &r, CLONE_VM, &number);
	/* The child is killed where it is, and both share what this call has changed. */
	if (c->space->return_stub.v)
		return_stub_clear(c->mem, c->space->return_stub);
	if (c->copy)
		space_restore(c->space, c->copy, c->mem);
}

/* Kills the child, whose end must have been seen before its parent can wait for it. */
static void kill_child(struct copying *c)
{
	int status;

	kill(c->child, SIGKILL);
	while (wait_queue_wait_tid(&c->k->waits, c->child, BIRTH_MS, &status) == 0)
		pt_cont(c->child, 0);
}

static void make_copy(struct copying *c, struct remote_call *r)
{
	int64_t result;

	c->child = make_child(c, r, 0, &c->child_here);
	if (!c->child)
		return;
	if (!c->why)
		copy_in_child(c);
	kill_child(c);
	remote_call_make(
		r, SYS_wait4,
		(const uint64_t[6]){(uint64_t)c->child_here, 0, __WALL | WNOHANG},
		&result);
}

static void copy_process(struct copying *c, struct task *task)
{
	struct remote_call r;
	int status =
		remote_call_begin(&r, &c->k->waits, task, task->process->space->mem);

	if (status < 0) {
		failed(c, status == STATUS_PERM
				  ? "a seccomp filter forbids its copy: only root may "
				    "suspend it"
				  : "the process is ending");
		return;
	}
	make_copy(c, &r);
	if (remote_call_end(&r, &task->status) < 0)
		failed(c, "the process is ending");
}

static int write_notes(const struct strbuf *notes)
{
	int fd = memfd_create("dtrace core", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, notes->data, notes->len) != (ssize_t)notes->len) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void send_copy(struct copying *c, const struct task *task, uint32_t number,
		      const struct strbuf *notes)
{
	const struct keeper_ev_copy copy = {.number = number, .copy = c->copy};
	const int files[2] = {c->mem, write_notes(notes)};
	int pidfd = (int)syscall(SYS_pidfd_open, c->copy, 0);

	if (files[1] < 0 || pidfd < 0) {
		failed(c, "dtrace has too many open files");
		return;
	}
	*vec_push(&c->k->copies) = (struct process_copy){c->copy, pidfd};
	event_copy(c->k, task, &copy, files, ARRAY_LEN(files));
	close(files[1]);
}

void process_copy_make(struct keeper *k, struct task *task, const struct regs *regs,
		       uint32_t number)
{
	struct copying c = {.k = k, .space = task->process->space, .mem = -1};
	struct strbuf notes = {0};
	struct all_stop s;

	if (k->copies.len >= PROCESS_COPIES_MAX) {
		failed(&c, "too many others are being written");
	} else if (pt_set_pc(task->tid, taddr_of(regs_pc(regs))) < 0 ||
		   all_stop_begin(&s, k, task, c.space) < 0) {
		failed(&c, "its threads did not stop");
	} else {
		core_notes_add(&notes, &s, task, regs);
		copy_process(&c, task);
		all_stop_end(&s);
	}
	if (!c.why)
		send_copy(&c, task, number, &notes);
	if (c.why) {
		event_no_copy(k, task, number, c.why);
		if (c.copy)
			kill(c.copy, SIGKILL);
	}
	if (c.mem >= 0)
		mem_close(c.mem);
	strbuf_release(&notes);
}

void process_copy_end(struct keeper *k, int pid)
{
	for (size_t i = 0; i < k->copies.len; i++) {
		const struct process_copy *c = &k->copies.data[i];

		if (c->pid != pid)
			continue;
		syscall(SYS_pidfd_send_signal, c->fd, SIGKILL, NULL, 0);
		close(c->fd);
		k->copies.data[i] = k->copies.data[--k->copies.len];
		return;
	}
}

void process_copy_release(struct keeper *k)
{
	while (k->copies.len)
		process_copy_end(k, k->copies.data[0].pid);
	vec_release(&k->copies);
}
