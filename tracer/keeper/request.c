/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/request.h"
#include "tracer/keeper/threads/abandon.h"
#include "tracer/keeper/threads/attach.h"
#include "tracer/keeper/threads/child.h"
#include "tracer/keeper/threads/detach.h"
#include "tracer/keeper/threads/hit.h"
#include "tracer/keeper/copies/process_copy.h"
#include "tracer/keeper/sites/lost.h"
#include "tracer/keeper/sites/detour_install.h"
#include "tracer/keeper/os/link.h"
#include "tracer/keeper/sites/restore.h"
#include "tracer/keeper/sites/stale.h"
#include "tracer/keeper/sites/sites.h"
#include "tracer/keeper/sites/switch_off.h"
#include "tracer/keeper/frames/frames.h"
#include "tracer/keeper/space/space.h"
#include "tracer/keeper/space/stacks.h"
#include "tracer/keeper/stop_cost.h"
#include "tracer/keeper/python/words.h"
#include "vm/base/host/helper.h"
#include "vm/base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct exchange {
	struct link_incoming *in;
	struct keeper_msg reply;
	int pass; /* descriptor to send, or -1 */
};

static int need_fds(const struct exchange *x, uint32_t n, struct err *e)
{
	if (x->in->msg.nfds == n)
		return 0;
	if (x->in->lacks_fds) {
		errno = EMFILE;
		return err_errno(e, STATUS_NOMEM, "cannot receive files");
	}
	return err_set(e, STATUS_INVAL, "the request needs %u descriptors, not %u", n,
		       x->in->msg.nfds);
}

/* The memory file of a request with struct keeper_req_memory. */
static struct link_memory memory(const struct exchange *x)
{
	return (struct link_memory){x->in->fds[0], x->in->msg.memory.bytes};
}

static int block(struct keeper *k, struct exchange *x, struct err *e)
{
	const struct link_memory image = {x->in->fds[0], x->in->msg.block.image_bytes};
	int status = need_fds(x, 1 + STATE_REGIONS, e);

	if (!status)
		status = keeper_program_load(&k->program, image, x->in->fds + 1, e);
	if (status)
		return status;
	k->tasks.slots.home = k->program.state;
	k->program.interprets = x->in->msg.block.interprets;
	k->program.copies_max = x->in->msg.block.ncopies;
	if (state_has_meters(k->program.state))
		x->reply.block_reply.stop = stop_cost_measure(&k->cpu);
	return 0;
}

static int probes(struct keeper *k, struct exchange *x, struct err *e)
{
	int status = need_fds(x, 1, e);

	if (!status)
		status = keeper_program_set_probes(&k->program, memory(x), e);
	k->tasks.slots.reads_there = k->program.reads_there;
	return status;
}

static int siteless(struct keeper *k, struct exchange *x, struct err *e)
{
	int status = need_fds(x, 1, e);

	return status ? status : siteless_load(&k->siteless, memory(x), e);
}

static int off(struct keeper *k, struct exchange *x, struct err *e)
{
	int status = need_fds(x, 1, e);

	return status ? status : switch_off_probes(k, memory(x), e);
}

static int names(struct keeper *k, struct exchange *x, struct err *e)
{
	int status = need_fds(x, 1, e);

	if (status || k->program.python_words)
		return status;
	k->program.python_words = python_words_open(memory(x), e);
	return k->program.python_words ? 0 : e->status;
}

static int seize(struct keeper *k, struct exchange *x, struct err *e)
{
	int pid = x->in->msg.pid;
	struct process *p;
	int status = attach_process(k, pid,
				    x->in->msg.seize.flags & KEEPER_SEIZE_CREATED, e);

	if (status)
		return status;
	if (!(x->in->msg.seize.flags & KEEPER_SEIZE_CREATED))
		stale_restore(k, pid);
	/* Stops were handled on the way. */
	p = process_find(&k->tasks, pid);
	if (!p)
		return err_set(e, STATUS_GONE, "it exited meanwhile");
	siteless_watch(&k->siteless, p);
	x->pass = p->space->mem;
	return 0;
}

static int rows(struct keeper *k, struct exchange *x, struct process *p, struct err *e)
{
	int status = need_fds(x, 1, e);

	if (!status && !p->space->stacks)
		p->space->stacks = stacks_new();
	if (!status)
		status = stacks_add(p->space->stacks, memory(x), e);
	if (!status)
		detour_install_rows(k, p);
	x->reply.rows_reply.is_full = stacks_report_full(p->space->stacks);
	return status;
}

static int restore(struct keeper *k, const struct exchange *x, struct process *p,
		   struct err *e)
{
	int status = need_fds(x, 1, e);

	return status ? status : restore_process(k, p, memory(x), e);
}

static int sites(struct keeper *k, struct exchange *x, struct process *p, struct err *e)
{
	int status = need_fds(x, 1, e);

	cpu_unpin(&k->cpu);
	return status ? status : sites_add(k, p, memory(x), &x->reply.sites_reply, e);
}

static int semaphores(struct exchange *x, struct process *p, struct err *e)
{
	const struct link_memory list = memory(x);
	struct procfs_maps maps = {0};
	taddr *addrs;
	int status = need_fds(x, 1, e);

	if (status)
		return status;
	addrs = link_copy(list, e);
	if (!addrs)
		return e->status;
	status = procfs_maps(p->pid, &maps);
	for (uint64_t i = 0; i < list.bytes / sizeof(*addrs) && !status; i++)
		if (p->space->semaphores.len >= KEEPER_SEMAPHORES_MAX ||
		    !semaphores_raise(&p->space->semaphores, p->space->mem, &maps,
				      addrs[i]))
			x->reply.semaphores_reply.nrefused++;
	space_note_semaphores(p->space);
	procfs_maps_release(&maps);
	free(addrs);
	return status;
}

static void lost(struct exchange *x, struct process *p)
{
	const struct addr_range r = {x->in->msg.forget.lo, x->in->msg.forget.hi};
	struct addr_range found = {{0}, {0}};

	sites_forget_lost(p->space, &r, &found);
	x->reply.lost_reply = (struct keeper_lost_reply){found.lo, found.hi};
}

static int frames(struct exchange *x, struct process *p, struct err *e)
{
	int status = need_fds(x, 1, e);

	return status ? status : frames_set(&p->space->frames, memory(x), e);
}

static int release_all(struct keeper *k, struct exchange *x)
{
	k->is_releasing = true;
	detach_hurry(k);
	sampler_report(&k->sampler, &k->tasks, k->link);
	detach_each(k, false);
	abandon_lost(k);
	/* Threads that are detached at their next stop may take their time. */
	k->waits.hurry = NULL;
	x->reply.release_reply.detour_hits = k->tasks.slots.fired;
	x->reply.release_reply.breakpoint_hits = k->by_breakpoint.hits;
	x->reply.release_reply.breakpoint_ns = k->by_breakpoint.ns;
	x->reply.release_reply.hottest_hits = k->by_breakpoint.hottest.hits;
	x->reply.release_reply.hottest_probe = k->by_breakpoint.hottest.probe;
	x->reply.release_reply.hottest_offset = k->by_breakpoint.hottest.arg0;
	x->reply.release_reply.nlost = helpers_lost();
	x->reply.release_reply.nchildren = k->nchildren;
	x->reply.release_reply.fired = k->program.fired + k->tasks.slots.fired;
	x->reply.release_reply.liars = k->tasks.slots.liars;
	for (const struct process *p = k->tasks.processes; p; p = p->next) {
		if (p->space->patience.is_lost)
			x->reply.release_reply.nlost += p->ntasks;
		else if (p->role != ROLE_FORKED)
			x->reply.release_reply.nsleeping += p->ntasks;
	}
	return 0;
}

static int of_process(struct keeper *k, struct exchange *x, struct err *e)
{
	const struct keeper_msg *m = &x->in->msg;
	struct process *p = process_find(&k->tasks, m->pid);

	if (m->type == KEEPER_REQ_RELEASE && !m->pid)
		return release_all(k, x);
	if (!p || p->role != ROLE_TRACED || p->space->patience.is_lost)
		return err_set(e, STATUS_GONE, "process %d is not traced", m->pid);
	switch (m->type) {
	case KEEPER_REQ_SITES:
		return sites(k, x, p, e);
	case KEEPER_REQ_ROWS:
		return rows(k, x, p, e);
	case KEEPER_REQ_RESTORE:
		return restore(k, x, p, e);
	case KEEPER_REQ_SEMAPHORES:
		return semaphores(x, p, e);
	case KEEPER_REQ_FRAMES:
		return frames(x, p, e);
	case KEEPER_REQ_FORGET:
		child_meet_all(k, p->space);
		space_forget(p->space, (struct addr_range){taddr_of(m->forget.lo.v),
							   taddr_of(m->forget.hi.v)});
		x->reply.rows_reply.is_full = stacks_report_full(p->space->stacks);
		return 0;
	case KEEPER_REQ_DROP:
		child_meet_all(k, p->space);
		space_drop_sites(p->space,
				 (struct addr_range){m->forget.lo, m->forget.hi});
		return 0;
	case KEEPER_REQ_LOST:
		child_meet_all(k, p->space);
		lost(x, p);
		return 0;
	case KEEPER_REQ_PYTHON:
		p->space->python = m->python.runtime.v;
		p->space->has_own_ids = procfs_inner_tid(p->pid) != (uint64_t)p->pid;
		return 0;
	case KEEPER_REQ_RESUME:
		hit_resume_held(k, p);
		return 0;
	case KEEPER_REQ_FOLLOW:
		p->space->family = m->follow.family;
		return 0;
	case KEEPER_REQ_DETOURS:
		x->reply.detours_reply.reason =
			detour_install_refusal(k, p, m->detours.has_variables);
		return 0;
	default:
		detach_process(k, p);
		return 0;
	}
}

static int dispatch(struct keeper *k, struct exchange *x, struct err *e)
{
	switch (x->in->msg.type) {
	case KEEPER_REQ_BLOCK:
		return block(k, x, e);
	case KEEPER_REQ_PROBES:
		return probes(k, x, e);
	case KEEPER_REQ_SITELESS:
		return siteless(k, x, e);
	case KEEPER_REQ_OFF:
		return off(k, x, e);
	case KEEPER_REQ_DUMPED:
		process_copy_end(k, x->in->msg.pid);
		return 0;
	case KEEPER_REQ_SEIZE:
		return seize(k, x, e);
	case KEEPER_REQ_NAMES:
		return names(k, x, e);
	case KEEPER_REQ_SITES:
	case KEEPER_REQ_ROWS:
	case KEEPER_REQ_RESTORE:
	case KEEPER_REQ_SEMAPHORES:
	case KEEPER_REQ_FRAMES:
	case KEEPER_REQ_FORGET:
	case KEEPER_REQ_DROP:
	case KEEPER_REQ_LOST:
	case KEEPER_REQ_PYTHON:
	case KEEPER_REQ_RESUME:
	case KEEPER_REQ_FOLLOW:
	case KEEPER_REQ_DETOURS:
	case KEEPER_REQ_RELEASE:
		return of_process(k, x, e);
	default:
		return err_set(e, STATUS_UNSUP, "unknown request %u", x->in->msg.type);
	}
}

static void serve_one(struct keeper *k, struct link_incoming *req)
{
	struct exchange x = {.in = req, .pass = -1};
	struct err e = {0};

	x.reply.type = KEEPER_REPLY;
	x.reply.serial = req->msg.serial;
	x.reply.pid = req->msg.pid;
	x.reply.status = dispatch(k, &x, &e);
	if (x.reply.status < 0)
		str_copy(x.reply.text, sizeof(x.reply.text),
			 e.text[0] ? e.text : status_text(x.reply.status));
	link_close_fds(req);
	if (link_send(k->link, &x.reply, &x.pass, x.pass >= 0) < 0)
		k->is_over = true;
}

void request_serve(struct keeper *k)
{
	while (!k->is_over) {
		struct link_incoming req;
		int got = link_receive(k->link, &req);

		if (got < 0)
			k->is_over = true;
		if (got <= 0)
			return;
		serve_one(k, &req);
	}
}
