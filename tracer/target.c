/* SPDX-License-Identifier: MIT */
/*
 * Targets: what the keeper's events mean for them. How one comes to be is in
 * spawn.c, how it gets its sites in sites.c.
 */
#include "tracer/target.h"
#include "tracer/linkmap.h"
#include "tracer/sites.h"
#include "tracer/spawn.h"
#include "tracer/trace.h"
#include "tracer/ustack.h"
#include "vm/base/host/vec.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct target *target_find(const struct tracer *t, int pid)
{
	for (size_t i = 0; i < t->targets.len; i++)
		if (t->targets.data[i]->pid == pid && t->targets.data[i]->alive)
			return t->targets.data[i];
	return NULL;
}

bool targets_named(const struct tracer *t)
{
	for (size_t i = 0; i < t->targets.len; i++)
		if (t->targets.data[i]->is_named)
			return true;
	return false;
}

bool targets_alive(const struct tracer *t)
{
	for (size_t i = 0; i < t->targets.len; i++)
		if (t->targets.data[i]->is_named && t->targets.data[i]->alive)
			return true;
	return false;
}

/* A new image has a new memory: the descriptor of the old one reads nothing. */
static void take_memory(struct target *target, int fd)
{
	if (target->mem_fd >= 0)
		close(target->mem_fd);
	target->mem_fd = fd;
}

/* What served its probes; the objects that were mapped stay known. */
static void forget_sites(struct target *target)
{
	map_release(&target->has_rows);
	map_release(&target->placed_at);
	vec_release(&target->placed);
	vec_release(&target->sites);
	vec_release(&target->ranges);
	vec_release(&target->plans);
	vec_release(&target->saved);
	vec_release(&target->jumped);
}

/* Everything known of the image that is going or has gone. */
static void forget_image(struct target *target)
{
	forget_sites(target);
	modules_free(target->modules);
	target->modules = NULL;
	target->rendezvous = target->r_debug = target->start = taddr_of(0);
}

void target_free(struct target *target)
{
	forget_image(target);
	take_memory(target, -1);
	free(target);
}

int target_read(const struct target *target, taddr addr, void *buf, size_t n)
{
	char *p = buf;

	while (n > 0) {
		ssize_t got = pread(target->mem_fd, p, n, (off_t)addr.v);

		if (got <= 0)
			return STATUS_FAULT;
		p += got;
		addr.v += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

/* What an exec replaces may still have to be named. */
static void retire_image(const struct tracer *t, struct target *target)
{
	struct modules *ms = target->modules;

	if (!t->ustack || !ms)
		return;
	for (size_t i = 0; i < ms->len; i++) {
		ustack_retire(t->ustack, target->pid, ms->data[i]);
		ms->data[i] = NULL;
	}
	ustack_set(t->ustack, target->pid, NULL);
}

enum keeper_reason target_jumps(struct tracer *t, const struct target *target)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_DETOURS, .pid = target->pid}};
	struct keeper_msg reply = {0};
	struct err e;

	if (link_call(&t->link, &req, &reply, NULL, &e)) /* it has ended */
		return KEEPER_REASON_NONE;
	return (enum keeper_reason)reply.detours_reply.reason;
}

int target_follow(struct tracer *t, const struct target *target, struct err *e)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_FOLLOW, .pid = target->pid}};

	return link_call(&t->link, &req, NULL, NULL, e);
}

int target_resume(struct tracer *t, struct target *target, struct err *e)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_RESUME, .pid = target->pid}};

	if (!target->held)
		return 0;
	target->held = false;
	return link_call(&t->link, &req, NULL, NULL, e);
}

/* A target that dies meanwhile is an event of its own, so failure is no news here. */
static void resume_quietly(struct tracer *t, struct target *target)
{
	struct err e;

	target_resume(t, target, &e);
}

/* Real-time signals have no name of their own. */
static void note_killed(struct tracer *t, const struct target *target, int sig)
{
	const char *name = sigabbrev_np(sig);

	if (name)
		trace_notice(t, "pid %d terminated by SIG%s", target->pid, name);
	else
		trace_notice(t, "pid %d terminated by SIGRTMIN%+d", target->pid,
			     sig - SIGRTMIN);
}

/* Of those that are followed there may be thousands, whose ends are nobody's news. */
static void note_exit(struct tracer *t, struct target *target, int status)
{
	target->alive = target->held = false;
	forget_sites(target);
	take_memory(target, -1);
	if (target->created)
		waitpid(target->pid, &status, WNOHANG);
	if (target->family != target->pid)
		return;
	if (WIFSIGNALED(status)) {
		note_killed(t, target, WTERMSIG(status));
	} else if (WEXITSTATUS(status)) {
		trace_notice(t, "pid %d exited with status %d", target->pid,
			     WEXITSTATUS(status));
	} else {
		trace_notice(t, "pid %d has exited", target->pid);
	}
}

/* Objects came or went: new ones get their probes, sites in old ones are forgotten. */
static void refresh(struct tracer *t, struct target *target)
{
	struct err e;

	if (spawn_refresh_modules(t, target, &e) || !target->active)
		return;
	sites_send_or_tell(t, target);
}

/* A held target goes on, unless it has just become ready for a run that is not yet. */
static void become_ready(struct tracer *t, struct target *target)
{
	target->ready = true;
	if (target->active)
		resume_quietly(t, target);
}

/* It runs on untraced. */
static void give_up(struct tracer *t, struct target *target)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_RELEASE, .pid = target->pid}};
	struct err e;

	link_call(&t->link, &req, NULL, NULL, &e); /* a dead target reports itself */
	target->alive = target->held = false;
}

static void on_exec(struct tracer *t, struct target *target)
{
	struct err e;

	retire_image(t, target);
	forget_image(target);
	target->ready = false;
	target->held = true;
	/* Only a description named it, by what it was: that has gone. */
	if (!target->is_named && !t->options.follow) {
		give_up(t, target);
		return;
	}
	if (spawn_map_image(t, target, &e)) {
		trace_error(t, "pid %d: %s", target->pid, e.text);
		give_up(t, target);
		return;
	}
	if (target->active)
		spawn_apply_all(t, target);
	if (target->rendezvous.v == 0 || t->options.evaltime == EVALTIME_EXEC)
		become_ready(t, target);
	else
		resume_quietly(t, target);
}

/* The loader is done: libraries are mapped, nothing of them has run. */
static void on_rendezvous(struct tracer *t, struct target *target)
{
	bool is_first = !target->ready && !target->active;

	if (!linkmap_is_consistent(target)) {
		resume_quietly(t, target);
		return;
	}
	refresh(t, target);
	if (target->ready)
		resume_quietly(t, target);
	else if (is_first && t->options.evaltime >= EVALTIME_POSTINIT &&
		 spawn_hold_main(t, target))
		resume_quietly(t, target);
	else
		become_ready(t, target);
}

/* A followed child has what its parent had when it forked. */
static void on_fork(struct tracer *t, struct target *target)
{
	struct err e;

	target->held = target->ready = true;
	if (spawn_map_image(t, target, &e)) {
		trace_error(t, "pid %d: %s", target->pid, e.text);
		give_up(t, target);
		return;
	}
	spawn_apply_all(t, target);
	resume_quietly(t, target);
}

static void on_hold(struct tracer *t, struct target *target, taddr at)
{
	target->held = true;
	if (at.v != target->start.v)
		on_rendezvous(t, target);
	else if (target->ready)
		resume_quietly(t, target);
	else
		become_ready(t, target);
}

/* The process that the event is about, which it may introduce; or NULL. */
static struct target *target_of_event(struct tracer *t, const struct keeper_msg *msg)
{
	struct target *target = target_find(t, msg->pid);
	bool is_birth = msg->type == KEEPER_EV_FORK ||
			(msg->type == KEEPER_EV_EXEC && msg->image.family != 0);

	if (target || !is_birth || t->is_released)
		return target;
	return spawn_follow(t, msg->pid, msg->image.family);
}

void target_event(struct tracer *t, const struct link_message *event)
{
	const struct keeper_msg *msg = &event->msg;
	struct target *target = target_of_event(t, msg);

	if (msg->type == KEEPER_EV_MISSED) {
		trace_error(t,
			    "%llu profile sample%s missed: "
			    "the tracer could not keep up",
			    (unsigned long long)msg->missed.samples,
			    msg->missed.samples == 1 ? "" : "s");
		return;
	}
	if (!target) {
		if (event->fd >= 0)
			close(event->fd);
		return;
	}
	if (event->fd >= 0)
		take_memory(target, event->fd);
	switch (msg->type) {
	case KEEPER_EV_EXEC:
		if (!t->is_released)
			on_exec(t, target);
		break;
	case KEEPER_EV_FORK:
		if (!t->is_released)
			on_fork(t, target);
		break;
	case KEEPER_EV_HOLD:
		if (!t->is_released)
			on_hold(t, target, msg->hold.addr);
		break;
	case KEEPER_EV_EXIT:
		note_exit(t, target, msg->exit.wait_status);
		break;
	case KEEPER_EV_LOST:
		target->alive = target->held = false;
		trace_notice(t, "pid %d %s", target->pid, msg->text);
		break;
	default:
		break;
	}
}
