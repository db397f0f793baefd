/* SPDX-License-Identifier: MIT */
/*
 * What the keeper's events mean for a target.
 */
#include "tracer/targets/target_event.h"
#include "tracer/base/core.h"
#include "tracer/jit/jit.h"
#include "tracer/output/out.h"
#include "tracer/output/progress.h"
#include "tracer/records/sources.h"
#include "tracer/output/ustack.h"
#include "tracer/targets/busy.h"
#include "tracer/targets/linkmap.h"
#include "tracer/targets/objects.h"
#include "tracer/targets/site_batch.h"
#include "tracer/targets/site_report.h"
#include "tracer/targets/target.h"
#include "vm/base/host/joined_map.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Addresses in the image that an exec has replaced may still have to be printed. */
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

/* If the target has died, that is an event of its own, so a failure is not reported. */
static void resume_quietly(struct tracer *t, struct target *target)
{
	struct err e;

	target_resume(t, target, &e);
}

/* Real-time signals have no name of their own. */
static void report_killed(struct tracer *t, const struct target *target, int sig)
{
	const char *name = sigabbrev_np(sig);

	if (name)
		out_notice(t->out, "pid %d terminated by SIG%s", target->pid, name);
	else
		out_notice(t->out, "pid %d terminated by SIGRTMIN%+d", target->pid,
			   sig - SIGRTMIN);
}

/*
 * There may be thousands of followed children: their exits are not reported. Nor are any
 * after exit().
 */
static void on_exit_event(struct tracer *t, struct target *target, int status)
{
	target->alive = target->held = false;
	if (t->processes)
		t->processes->ended(t->processes->ctx, target->pid);
	sources_end(t->sources, target->pid);
	target_forget_sites(target);
	target_take_memory(target, -1);
	jit_end(t->jit, target->pid);
	if (target->created)
		waitpid(target->pid, &status, WNOHANG);
	if (target->family != target->pid || t->has_exited)
		return;
	if (WIFSIGNALED(status)) {
		report_killed(t, target, WTERMSIG(status));
	} else if (WEXITSTATUS(status)) {
		out_notice(t->out, "pid %d exited with status %d", target->pid,
			   WEXITSTATUS(status));
	} else {
		out_notice(t->out, "pid %d has exited", target->pid);
	}
}

/* New objects get their probes; sites in objects that have gone are forgotten. */
static void refresh(struct tracer *t, struct target *target)
{
	struct err e;

	if (objects_refresh(t, target, NULL, &e) || !target->active)
		return;
	site_batch_send_or_report(t, target);
}

/* Resumes a held target, unless tracing has not begun. */
static void become_ready(struct tracer *t, struct target *target)
{
	target->ready = true;
	if (target->active)
		resume_quietly(t, target);
}

/* Stops tracing this target; it runs on. */
static void give_up(struct tracer *t, struct target *target)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_RELEASE, .pid = target->pid}};
	struct err e;

	link_call(&t->link, &req, NULL, NULL,
		  &e); /* the exit of a dead target is an event */
	sources_end(t->sources, target->pid);
	target->alive = target->held = false;
}

/*
 * The objects of a new image could not be read. If that is because the process is being
 * killed, it stays a target: its end is still to be seen, and fires probes.
 */
static void fail_image(struct tracer *t, struct target *target, const struct err *e)
{
	if (target_is_going(target)) {
		resume_quietly(t, target);
		return;
	}
	site_batch_report(t, target, e);
	give_up(t, target);
}

static void on_exec(struct tracer *t, struct target *target)
{
	struct err e;

	sources_end(t->sources, target->pid);
	retire_image(t, target);
	jit_end(t->jit, target->pid);
	target_forget_image(target);
	target->is_launcher &= !target->active;
	target->ready = false;
	target->held = true;
	/* Only a description named it, and meant the image that has gone. */
	if (!target->is_named && !t->options.follow) {
		if (!t->has_siteless) {
			give_up(t, target);
			return;
		}
		target->is_siteless = true;
	}
	if (objects_read(t, target, &e)) {
		fail_image(t, target, &e);
		return;
	}
	if (target->active)
		objects_apply_all(t, target);
	if (target->rendezvous.v == 0 || t->options.evaltime == EVALTIME_EXEC)
		become_ready(t, target);
	else
		resume_quietly(t, target);
}

/* The loader has mapped the libraries; none of their code has run. */
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
		 objects_hold_main(t, target))
		resume_quietly(t, target);
	else
		become_ready(t, target);
}

/* A followed child has the objects that its parent had when it forked. */
static void on_fork(struct tracer *t, struct target *target)
{
	struct err e;

	target->held = target->ready = true;
	if (objects_read(t, target, &e)) {
		fail_image(t, target, &e);
		return;
	}
	objects_apply_all(t, target);
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

static void note_demoted(struct tracer *t, uint32_t nsites)
{
	uint64_t n = min_u64(nsites, t->jump_sites.jumps);

	t->jump_sites.jumps -= n;
	t->jump_sites.breakpoints += n;
}

/* Code with an operand that the program writes: a jump there would lead anywhere. */
static void on_writable(struct tracer *t, struct target *target,
			const struct keeper_msg *msg)
{
	note_demoted(t, msg->domain.nsites);
	if (target->mapped.is_written)
		return;
	target->mapped.is_written = true;
	out_notice(
		t->out,
		"pid %d: it can write to its code: breakpoints serve its probes there",
		target->pid);
}

/* It shares variables with other processes no more. */
static void on_domain(struct tracer *t, const struct target *target,
		      const struct keeper_msg *msg)
{
	note_demoted(t, msg->domain.nsites);
	out_notice(t->out, "pid %d: its %s changed: breakpoints serve its probes",
		   target->pid, msg->text);
}

/* The state block of the target's threads is one more to be read. */
static void on_exchange(struct tracer *t, const struct target *target,
			const struct link_message *event)
{
	struct joined_file files[STATE_REGIONS];
	struct state *state;
	struct view *view;

	for (int i = 0; i < STATE_REGIONS; i++) {
		struct state_range r = state_region(t->state, (enum state_region)i);
		bool is_read_only = i == STATE_LAYOUT || i == STATE_CONTROL;

		files[i] = (struct joined_file){t->state_files[i], r.at, r.size,
						is_read_only};
	}
	files[STATE_LAYOUT].fd = event->fd;
	files[STATE_EXCHANGE].fd = event->second;
	state = joined_map(files, STATE_REGIONS);
	if (!state) {
		out_message(t->out, "cannot read what pid %d records: %s", target->pid,
			    strerror(errno));
		link_close_descriptors(event);
		return;
	}
	close(event->fd);
	view = sources_add_view(t->sources, state, t->state_size, event->second,
				target->pid);
	view->family = target->family;
}

/*
 * Adds a child that the keeper follows. It is held; its memory is not known yet. If
 * several targets have had the process id of its family, the newest counts.
 */
static struct target *follow(struct tracer *t, int pid, int family)
{
	struct target *target = target_add(t, pid);
	size_t i = t->targets.len - 1;

	target->family = family;
	target->active = true;
	while (i > 0 && t->targets.data[i - 1]->pid != family)
		i--;
	target->is_named = i == 0 || t->targets.data[i - 1]->is_named;
	target->is_siteless = !t->options.follow;
	return target;
}

/* Fewer than one in a hundred are within the error of sampling. */
static void report_missed(const struct tracer *t, const struct keeper_ev_missed *m)
{
	uint64_t all = m->samples + m->taken;

	if (m->samples * 100 >= all && m->samples)
		out_message(t->out,
			    "%llu of %llu profile samples missed (%.1f%%): "
			    "their threads were not seen running",
			    (unsigned long long)m->samples, (unsigned long long)all,
			    100.0 * (double)m->samples / (double)all);
}

/* The target of the event, added if the event introduces it; NULL: not ours. */
static struct target *target_of_event(struct tracer *t, const struct keeper_msg *msg)
{
	struct target *target = target_find(t, msg->pid);
	bool is_birth = msg->type == KEEPER_EV_FORK ||
			(msg->type == KEEPER_EV_EXEC && msg->image.family != 0);

	if (target || !is_birth || t->is_released)
		return target;
	return follow(t, msg->pid, msg->image.family);
}

/* What each event does that carries no further descriptors. */
static void act(struct tracer *t, struct target *target, const struct keeper_msg *msg)
{
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
		target->cpu_now = max_u64(target->cpu_now, msg->exit.cpu_ns);
		on_exit_event(t, target, msg->exit.wait_status);
		break;
	case KEEPER_EV_WAITED:
		sources_add_waited(t->sources, msg->pid, msg->waited.ns);
		break;
	case KEEPER_EV_DOMAIN:
		on_domain(t, target, msg);
		break;
	case KEEPER_EV_WRITABLE:
		on_writable(t, target, msg);
		break;
	case KEEPER_EV_BUSY:
		busy_report(t, target, msg->busy.probe + 1);
		break;
	case KEEPER_EV_CHANGED:
		site_report_changed(t, target, &msg->changed);
		break;
	case KEEPER_EV_LOST:
		sources_end(t->sources, target->pid);
		target->alive = target->held = false;
		out_notice(t->out, "pid %d %s", target->pid, msg->text);
		break;
	default:
		break;
	}
}

void target_event(struct tracer *t, const struct link_message *event)
{
	const struct keeper_msg *msg = &event->msg;
	struct target *target = target_of_event(t, msg);

	if (msg->type == KEEPER_EV_MISSED) {
		report_missed(t, &msg->missed);
		return;
	}
	if (!target) {
		link_close_descriptors(event);
		return;
	}
	if (msg->type == KEEPER_EV_EXCHANGE) {
		on_exchange(t, target, event);
		return;
	}
	if (event->fd >= 0)
		target_take_memory(target, event->fd);
	progress_begin(t);
	act(t, target, msg);
	progress_end(t);
}
