/* SPDX-License-Identifier: MIT */
/*
 * Targets: their sites, and what the keeper's events mean for them. How one
 * comes to be is in spawn.c.
 */
#include "tracer/target.h"
#include "tracer/plan.h"
#include "tracer/prov_diag.h"
#include "tracer/rows.h"
#include "tracer/linkmap.h"
#include "tracer/spawn.h"
#include "tracer/trace.h"
#include "tracer/ustack.h"
#include "vm/base/host/vec.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define REFUSALS_SHOWN 5 /* of one batch, before "and N more" */

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

/* True if the probe has a site at the address already; notes it if not. */
static bool is_placed(struct target *target, uint64_t addr, uint32_t probe)
{
	uint64_t first = 0;

	map_get(&target->placed_at, addr, &first);
	for (uint64_t i = first; i; i = target->placed.data[i - 1].next)
		if (target->placed.data[i - 1].probe == probe)
			return true;
	*vec_push(&target->placed) = (struct placed_site){addr, probe, (uint32_t)first};
	map_set(&target->placed_at, addr, target->placed.len);
	return false;
}

/* The sites of a function come one after the other and share its ranges. */
static bool are_last_ranges(const struct target *target, const struct target_site *site)
{
	size_t n = site->nranges;
	const struct keeper_range *last;

	if (!n || target->ranges.len < n)
		return false;
	last = target->ranges.data + target->ranges.len - n;
	for (size_t i = 0; i < n; i++)
		if (last[i].lo != site->ranges[i].lo.v ||
		    last[i].hi != site->ranges[i].hi.v)
			return false;
	return true;
}

static void set_ranges(struct target *target, const struct target_site *site,
		       struct keeper_site *out)
{
	if (!are_last_ranges(target, site))
		for (size_t i = 0; i < site->nranges; i++)
			*vec_push(&target->ranges) = (struct keeper_range){
				site->ranges[i].lo.v, site->ranges[i].hi.v};
	out->nranges = (uint32_t)site->nranges;
	out->first_range = (uint32_t)(target->ranges.len - site->nranges);
}

void target_add_site(struct target *target, const struct target_site *site)
{
	struct target_pending *out;

	if (is_placed(target, site->addr.v, site->probe))
		return;
	out = vec_push(&target->sites);
	*out = (struct target_pending){
		.site = {.addr = site->addr.v,
			 .probe = site->probe,
			 .kind = (uint16_t)site->kind,
			 .arg0 = site->arg0},
		.module = site->module,
		.part = site->part,
	};
	if (site->kind == KEEPER_SITE_RETURN)
		set_ranges(target, site, &out->site);
}

static void save_jump(struct target *target, const struct hook_plan *plan)
{
	bool has_board = plan->board.at.v != 0;
	struct keeper_mend *m = vec_push(&target->jumped);

	*m = (struct keeper_mend){
		.addr = plan->patch.v,
		.jump = has_board ? hook_board_entry(&plan->board).v : plan->patch.v,
		.n = (uint8_t)hook_plan_patched(plan)};
	memcpy(m->original, plan->original, m->n);
	if (!has_board)
		return;
	m = vec_push(&target->jumped);
	*m = (struct keeper_mend){.addr = plan->board.at.v,
				  .jump = hook_board_entry(&plan->board).v,
				  .home = plan->patch.v,
				  .n = (uint8_t)hook_board_written(&plan->board)};
	memcpy(m->original, plan->board.original, m->n);
}

/* Keeps what stands at every new site, should the keeper die. */
static void save_bytes(struct target *target)
{
	for (size_t i = 0; i < target->sites.len; i++) {
		struct saved_byte b = {.addr = target->sites.data[i].site.addr};

		if (target_read(target, taddr_of(b.addr), &b.byte, 1) == 0)
			*vec_push(&target->saved) = b;
	}
	for (size_t i = 0; i < target->plans.len; i++)
		if (hook_plan_is_jump(&target->plans.data[i]))
			save_jump(target, &target->plans.data[i]);
}

const char *target_reason_text(unsigned reason)
{
	static const char *const reasons[] = {
#define REASON_TEXT(name, text) text,
		KEEPER_REASONS(REASON_TEXT)
#undef REASON_TEXT
	};

	return reason < ARRAY_LEN(reasons) ? reasons[reason] : "";
}

/* No probe stands there, but the notice of new objects, or of main(). */
static void report_unheld(struct tracer *t, const struct target *target,
			  const struct keeper_site *s)
{
	trace_error(t, "cannot see pid %d load libraries: %s", target->pid,
		    target_reason_text(s->reason));
}

static void count_fpid_sites(struct tracer *t, const struct keeper_sites *sites)
{
	const struct keeper_site *s = (const void *)(sites + 1);

	for (uint32_t i = 0; i < sites->nsites; i++) {
		const struct probe *p = probes_get(&t->probes, s[i].probe + 1);

		if (s[i].kind == KEEPER_SITE_HOLD || !p || p->provider != &prov_fpid)
			continue;
		t->fpid_sites.jumps += s[i].result == KEEPER_SITE_JUMP;
		t->fpid_sites.breakpoints += s[i].result == KEEPER_SITE_SET;
	}
}

static void report_refusals(struct tracer *t, const struct target *target,
			    const struct keeper_sites *sites)
{
	const struct keeper_site *s = (const void *)(sites + 1);
	size_t shown = 0, n = 0;

	for (uint32_t i = 0; i < sites->nsites; i++) {
		const struct probe *p = probes_get(&t->probes, s[i].probe + 1);

		if (s[i].result != KEEPER_SITE_REFUSED || keeper_site_is_raw(s[i].kind))
			continue;
		if (n++ >= REFUSALS_SHOWN)
			continue;
		shown++;
		if (s[i].kind == KEEPER_SITE_HOLD) {
			report_unheld(t, target, &s[i]);
			continue;
		}
		if (!p)
			continue;
		trace_error(t, "cannot trace %s:%s:%s:%s at 0x%llx: %s",
			    probes_name(&t->probes, p, PROBE_PROVIDER),
			    probes_name(&t->probes, p, PROBE_MODULE),
			    probes_name(&t->probes, p, PROBE_FUNCTION),
			    probes_name(&t->probes, p, PROBE_NAME),
			    (unsigned long long)s[i].addr,
			    target_reason_text(s[i].reason));
	}
	if (n > shown)
		trace_error(t, "%zu more sites cannot be traced", n - shown);
}

static bool can_be_resident(const struct tracer *t, uint32_t probe)
{
	const struct probe *p = probes_get(&t->probes, probe);

	for (size_t i = 0; p && i < p->enablings.len; i++) {
		uint32_t clause = p->enablings.data[i].clause;

		if (!(program_clause(t->image, clause)->homes & HOME_RESIDENT))
			return false;
	}
	return true;
}

/* ERROR fires where a clause faults, which any may do; so it is with stacks cut. */
bool target_is_resident(const struct tracer *t, uint32_t probe)
{
	return can_be_resident(t, probe) && can_be_resident(t, PROBE_ERROR) &&
	       can_be_resident(t, t->diag.cut);
}

/* From what the front knows to what the keeper gets: probes by index. */
static void write_sites(const struct target *target, struct keeper_site *out)
{
	for (size_t i = 0; i < target->sites.len; i++) {
		out[i] = target->sites.data[i].site;
		if (out[i].kind != KEEPER_SITE_HOLD)
			out[i].probe--;
		if (out[i].plan && target->plans.data[out[i].plan - 1].reason)
			out[i].plan = 0;
	}
}

/* The message's memory file: the keeper writes each site's result into it. */
static int make_sites_file(const struct target *target, struct keeper_sites **map,
			   size_t *size, struct err *e)
{
	size_t nsites = target->sites.len * sizeof(struct keeper_site);
	size_t nranges = target->ranges.len * sizeof(struct keeper_range);
	size_t nplans = target->plans.len * sizeof(struct hook_plan);
	char *p;
	int fd;

	*size = sizeof(struct keeper_sites) + nsites + nranges + nplans;
	fd = link_memfd(NULL, *size);
	*map = fd < 0 ? MAP_FAILED
		      : mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*map == MAP_FAILED) {
		int rc = err_errno(e, STATUS_NOMEM, "cannot make the table of sites");

		if (fd >= 0)
			close(fd);
		return rc;
	}
	(*map)->nsites = (uint32_t)target->sites.len;
	(*map)->nranges = (uint32_t)target->ranges.len;
	(*map)->nplans = (uint32_t)target->plans.len;
	write_sites(target, (void *)(*map + 1));
	p = (char *)(*map + 1) + nsites;
	if (nranges)
		p = mempcpy(p, target->ranges.data, nranges);
	if (nplans)
		memcpy(p, target->plans.data, nplans);
	return fd;
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

/* What will be needed of the modules when they, or the process, have gone. */
static int note_modules(struct tracer *t, struct target *target, struct err *e)
{
	if (t->ustack) {
		ustack_set(t->ustack, target->pid, target->modules);
		for (size_t i = 0; i < target->modules->len; i++)
			ustack_keep(t->ustack, target->modules->data[i]);
	}
	return rows_send(t, target, e);
}

int target_send_sites(struct tracer *t, struct target *target, struct err *e)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_SITES, .pid = target->pid}, .nfds = 1};
	struct keeper_msg reply = {0};
	struct keeper_sites *map;
	size_t size;
	int rc;

	rc = note_modules(t, target, e);
	if (rc || target->sites.len == 0)
		return rc;
	plan_sites(t, target);
	save_bytes(target);
	req.fds[0] = make_sites_file(target, &map, &size, e);
	if (req.fds[0] < 0)
		return req.fds[0];
	req.msg.a = size;
	rc = link_call(&t->link, &req, &reply, NULL, e);
	if (rc == 0)
		count_fpid_sites(t, map);
	if (rc == 0 && reply.b > 0)
		report_refusals(t, target, map);
	if (rc == 0)
		diag_fire_sites(t, target, map);
	munmap(map, size);
	close(req.fds[0]);
	vec_release(&target->sites);
	vec_release(&target->ranges);
	vec_release(&target->plans);
	return rc;
}

enum keeper_reason target_jumps(struct tracer *t, const struct target *target)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_JUMPS, .pid = target->pid}};
	struct keeper_msg reply = {0};
	struct err e;

	if (link_call(&t->link, &req, &reply, NULL, &e)) /* it has ended */
		return KEEPER_REASON_NONE;
	return (enum keeper_reason)reply.a;
}

void target_send_or_tell(struct tracer *t, struct target *target)
{
	struct err e;
	int rc = trace_update_table(t, &e);

	if (rc == 0)
		rc = target_send_sites(t, target, &e);
	/* The exit of one that has gone is on the way as an event. */
	if (rc && rc != STATUS_GONE)
		trace_error(t, "pid %d: %s", target->pid, e.text);
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
	target_send_or_tell(t, target);
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
			(msg->type == KEEPER_EV_EXEC && msg->a != 0);

	if (target || !is_birth || t->is_released)
		return target;
	return spawn_follow(t, msg->pid, (int)msg->a);
}

void target_event(struct tracer *t, const struct link_message *event)
{
	const struct keeper_msg *msg = &event->msg;
	struct target *target = target_of_event(t, msg);

	if (msg->type == KEEPER_EV_MISSED) {
		trace_error(t,
			    "%llu profile sample%s missed: "
			    "the tracer could not keep up",
			    (unsigned long long)msg->a, msg->a == 1 ? "" : "s");
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
			on_hold(t, target, taddr_of(msg->a));
		break;
	case KEEPER_EV_EXIT:
		note_exit(t, target, (int)msg->a);
		break;
	case KEEPER_EV_LOST:
		target->alive = target->held = false;
		trace_notice(t, "pid %d %s", target->pid, msg->text);
		break;
	default:
		break;
	}
}

void targets_rescue(struct tracer *t)
{
	for (size_t i = 0; i < t->targets.len; i++) {
		struct target *target = t->targets.data[i];

		for (size_t k = 0; k < target->saved.len; k++) {
			const struct saved_byte *b = &target->saved.data[k];
			uint8_t now;

			if (target_read(target, taddr_of(b->addr), &now, 1) == 0 &&
			    now == 0xcc &&
			    pwrite(target->mem_fd, &b->byte, 1, (off_t)b->addr) != 1)
				break;
		}
		target->alive = target->held = false;
	}
}
