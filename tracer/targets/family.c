/* SPDX-License-Identifier: MIT */
/*
 *	list all processes --> those whose parent is of the family: seize, follow, probes
 *	again, until a list has no new one
 *
 * A child that a process forks before it is followed is in the next list; one that it
 * forks later is the keeper's. The descendants of a process that ends meanwhile are in
 * the same list as that.
 */
#include "tracer/targets/family.h"
#include "tracer/output/out.h"
#include "tracer/targets/objects.h"
#include "tracer/targets/spawn.h"
#include "tracer/targets/target.h"
#include "vm/base/proc/procstat.h"
#include "vm/base/host/vec.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PASSES_MAX 100

struct relative {
	int pid, parent;
	char state;
	uint64_t start; /* with pid: one process of all times */
};

struct family {
	struct tracer *t;
	const struct target *first;
	struct map members; /* process id -> its start */
	struct {
		struct relative *data;
		size_t len, cap;
	} list;
};

/* False: it has ended. */
static bool read_relative(int pid, struct relative *out)
{
	struct procstat s;

	if (procstat_read(pid, pid, &s) || !procstat_field(s.text, PROCSTAT_START))
		return false;
	out->pid = pid;
	out->parent = (int)procstat_number(s.text, PROCSTAT_PPID);
	out->state = (char)procstat_number(s.text, PROCSTAT_STATE);
	out->start = procstat_number(s.text, PROCSTAT_START);
	return true;
}

static void list_all(struct family *f)
{
	const struct dirent *entry;
	struct relative one;
	DIR *dir = opendir("/proc");

	f->list.len = 0;
	while (dir && (entry = readdir(dir))) {
		int pid = atoi(entry->d_name);

		if (pid > 0 && read_relative(pid, &one) && one.state != 'Z')
			*vec_push(&f->list) = one;
	}
	if (dir)
		closedir(dir);
}

static void release(struct tracer *t, struct target *target)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_RELEASE, .pid = target->pid}};
	struct err ignored;

	link_call(&t->link, &req, NULL, NULL, &ignored);
	target->alive = false;
}

/* The keeper may have it already: then its event is to come, or has come. */
static bool is_quiet(const struct relative *one, int rc)
{
	struct relative now;

	return rc == STATUS_BUSY || rc == STATUS_GONE || rc == STATUS_NOENT ||
	       !read_relative(one->pid, &now) || now.state == 'Z' ||
	       now.start != one->start;
}

static void attach(struct family *f, const struct relative *one)
{
	struct tracer *t = f->t;
	struct relative now;
	struct target *target;
	struct err e;
	int rc;

	if (target_find(t, one->pid))
		return;
	rc = spawn_grab(t, one->pid, f->first->is_named, &e);
	if (rc && !is_quiet(one, rc))
		out_message(t->out,
			    "process %d, a child of process %d, is not traced: %s",
			    one->pid, one->parent, e.text);
	target = rc ? NULL : target_find(t, one->pid);
	if (!target)
		return;
	if (!read_relative(one->pid, &now) || now.start != one->start) {
		release(t, target); /* another process has its number now */
		return;
	}
	target->family = f->first->family;
	target->is_siteless = !t->options.follow;
	target->active = true;
	if (target_follow(t, target, &e) == 0)
		objects_apply_all(t, target);
}

/* True if the list has members that were not known. */
static bool add_members(struct family *f)
{
	bool is_new = false;

	for (size_t i = 0; i < f->list.len; i++) {
		const struct relative *one = &f->list.data[i];
		uint64_t start;

		if (!map_get(&f->members, (uint64_t)one->parent, NULL) ||
		    (map_get(&f->members, (uint64_t)one->pid, &start) &&
		     start == one->start))
			continue;
		map_set(&f->members, (uint64_t)one->pid, one->start);
		attach(f, one);
		is_new = true;
	}
	return is_new;
}

void family_attach(struct tracer *t, const struct target *target)
{
	struct family f = {.t = t, .first = target};
	bool is_new = true;

	map_set(&f.members, (uint64_t)target->pid, 0);
	for (int pass = 0; pass < PASSES_MAX && is_new; pass++) {
		list_all(&f);
		is_new = false;
		while (add_members(&f))
			is_new = true;
	}
	map_release(&f.members);
	vec_release(&f.list);
}
