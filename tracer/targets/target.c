/* SPDX-License-Identifier: MIT */
#include "tracer/targets/target.h"
#include "vm/base/proc/process_end.h"
#include "tracer/output/progress.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEATH_MS      100 /* in which a process that is being killed loses its memory */
#define DEATH_LOOKS   20
#define TASK_EXITING  0x4u /* PF_EXITING, PF_SIGNALED of the kernel's sched.h */
#define TASK_SIGNALED 0x400u
#define NEVER_MAPPED  0x7ffffffff000 /* the last page of user addresses */

struct target *target_add(struct tracer *t, int pid)
{
	struct target *target = oom_calloc(1, sizeof(*target));

	target->pid = target->family = pid;
	target->mem_fd = -1;
	target->alive = true;
	*vec_push(&t->targets) = target;
	return target;
}

struct target *target_find(const struct tracer *t, int pid)
{
	for (size_t i = 0; i < t->targets.len; i++)
		if (t->targets.data[i]->pid == pid && t->targets.data[i]->alive)
			return t->targets.data[i];
	return NULL;
}

/* ERROR and diag:::missed-ustack have no site: they follow a firing. */
static bool can_be_inside(const struct tracer *t, const struct probe *p)
{
	return p->may_jump || p->id == PROBE_ERROR || p->id == t->diag.missed_ustack;
}

bool target_records(const struct tracer *t, uint32_t pid, const struct probe *p)
{
	int family = p->provider && p->provider->process
			     ? p->provider->process(&t->probes, p)
			     : 0;

	if (!can_be_inside(t, p))
		return false;
	for (size_t i = t->targets.len; i-- > 0;) {
		const struct target *target = t->targets.data[i];

		if ((uint32_t)target->pid == pid &&
		    (!family || target->family == family))
			return true;
	}
	return false;
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

bool targets_have_ended(const struct tracer *t)
{
	for (size_t i = 0; i < t->targets.len; i++)
		if (t->targets.data[i]->is_named && t->targets.data[i]->alive &&
		    !process_is_ending(t->targets.data[i]->pid))
			return false;
	return targets_named(t);
}

/* The beginning of a file of /proc/PID, "" if unreadable; false: there is none. */
static bool read_proc(int pid, const char *name, char *buf, size_t cap)
{
	char path[32];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	f = fopen(path, "re");
	buf[0] = '\0';
	if (!f)
		return errno != ENOENT && errno != ESRCH;
	buf[fread(buf, 1, cap - 1, f)] = '\0';
	fclose(f);
	return true;
}

/*
 * SIGKILL is pending, or it is exiting (proc_pid_stat(5): flags): it may be stopped there
 * until the keeper comes to it.
 */
static bool is_exiting(int pid)
{
	unsigned long long pending = 0;
	char text[4096];
	const char *p;
	unsigned flags = 0;

	if (!read_proc(pid, "status", text, sizeof(text)))
		return true;
	p = strstr(text, "\nSigPnd:");
	if (p && sscanf(p, "\nSigPnd: %llx", &pending) == 1 &&
	    pending >> (SIGKILL - 1) & 1)
		return true;
	if (!read_proc(pid, "stat", text, sizeof(text)))
		return true;
	p = strrchr(text, ')');
	return p && sscanf(p, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       flags & (TASK_EXITING | TASK_SIGNALED);
}

/* Where memory has gone the kernel reads nothing, which is no error (proc(5)). */
static bool has_no_memory(const struct target *target)
{
	char byte;

	return target->mem_fd >= 0 &&
	       pread(target->mem_fd, &byte, 1, NEVER_MAPPED) == 0;
}

bool target_is_going(const struct target *target)
{
	const struct timespec moment = {0, DEATH_MS * 1000000 / DEATH_LOOKS};

	for (int i = 0; i < DEATH_LOOKS; i++) {
		if (has_no_memory(target) || is_exiting(target->pid))
			return true;
		nanosleep(&moment, NULL);
	}
	return false;
}

void target_take_memory(struct target *target, int fd)
{
	if (target->mem_fd >= 0) {
		procmem_release(target->memory);
		free(target->memory);
		close(target->mem_fd);
	}
	target->mem_fd = fd;
	target->memory = NULL;
	if (fd < 0)
		return;
	target->memory = oom_calloc(1, sizeof(*target->memory));
	procmem_init(target->memory, target->pid, fd);
}

void target_forget_sites(struct target *target)
{
	map_release(&target->has_rows);
	placed_sites_release(&target->placed);
	vec_release(&target->sites);
	vec_release(&target->ranges);
	vec_release(&target->plans);
	vec_release(&target->semaphores);
	vec_release(&target->frames);
	vec_release(&target->tail_functions);
	map_release(&target->watched);
	vec_release(&target->saved);
	vec_release(&target->jumped);
}

void target_forget_image(struct target *target)
{
	target_forget_sites(target);
	map_release(&target->unlisted);
	modules_free(target->modules);
	target->modules = NULL;
	target->has_python = false;
	vec_release(&target->mapped.calls);
	vec_release(&target->mapped.moves);
	vec_release(&target->mapped.samples);
	memset(&target->mapped, 0, sizeof(target->mapped));
	target->rendezvous = target->r_debug = target->start = taddr_of(0);
}

void target_free(struct target *target)
{
	target_forget_image(target);
	target_take_memory(target, -1);
	free(target);
}

int target_read(const struct target *target, taddr addr, void *buf, size_t n)
{
	return target->memory && procmem_read(target->memory, addr.v, buf, n) == 0
		       ? 0
		       : STATUS_FAULT;
}

enum keeper_reason target_jumps(struct tracer *t, const struct target *target)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_DETOURS, .pid = target->pid}};
	const void *image = t->image;
	struct keeper_msg reply = {0};
	struct err e;

	req.msg.detours.has_variables = image && vm_shares_variables(image);
	if (link_call(&t->link, &req, &reply, NULL, &e)) /* the process has ended */
		return KEEPER_REASON_NONE;
	return (enum keeper_reason)reply.detours_reply.reason;
}

int target_follow(struct tracer *t, const struct target *target, struct err *e)
{
	struct link_request req = {.msg = {.type = KEEPER_REQ_FOLLOW,
					   .pid = target->pid,
					   .follow.family = target->family}};

	return link_call(&t->link, &req, NULL, NULL, e);
}

int target_resume(struct tracer *t, struct target *target, struct err *e)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_RESUME, .pid = target->pid}};

	if (!target->held)
		return 0;
	target->held = false;
	progress_end(t); /* before it prints something itself */
	return link_call(&t->link, &req, NULL, NULL, e);
}
