/* SPDX-License-Identifier: MIT */
#include "tracer/events/process_maps.h"
#include "symbols/symbols.h"
#include "tracer/output/ustack.h"
#include "tracer/targets/target.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <time.h>

#define PROCESSES_MAX 1024 /* the oldest are forgotten */

struct process_maps {
	struct tracer *t;
	struct map by_pid; /* -> 1 + place in list */
	struct {
		struct process {
			uint32_t pid;
			time_t read_at;
			struct modules *modules; /* NULL: they could not be read */
		} * data;
		size_t len, cap;
	} list;
	size_t oldest; /* whose place the next one gets, once the list is full */
};

struct process_maps *process_maps_new(struct tracer *t)
{
	struct process_maps *m = oom_calloc(1, sizeof(*m));

	m->t = t;
	return m;
}

static void forget(struct process_maps *m, struct process *p)
{
	ustack_set(m->t->ustack, (int)p->pid, NULL);
	map_remove(&m->by_pid, p->pid);
	modules_free(p->modules);
	p->modules = NULL;
}

void process_maps_free(struct process_maps *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->list.len; i++)
		forget(m, &m->list.data[i]);
	map_release(&m->by_pid);
	vec_release(&m->list);
	free(m);
}

static struct process *get(struct process_maps *m, uint32_t pid)
{
	struct process *p;
	uint64_t place;

	if (map_get(&m->by_pid, pid, &place))
		return &m->list.data[place - 1];
	if (m->list.len < PROCESSES_MAX) {
		p = vec_push(&m->list);
	} else {
		p = &m->list.data[m->oldest++ % PROCESSES_MAX];
		forget(m, p);
	}
	*p = (struct process){.pid = pid};
	map_set(&m->by_pid, pid, (uint64_t)(p - m->list.data) + 1);
	return p;
}

void process_maps_note(struct process_maps *m, uint32_t pid)
{
	struct timespec now;
	struct modules *modules;
	struct process *p;
	struct err
		ignored; /* it has ended, or has no memory: it keeps its last names */

	if (!m->t->ustack || target_find(m->t, (int)pid))
		return;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	p = get(m, pid);
	if (p->read_at && now.tv_sec <= p->read_at)
		return;
	p->read_at = now.tv_sec;
	if (modules_read((int)pid, &modules, &ignored))
		return;
	/* the program, whose file may go with it; libraries stay */
	for (size_t i = 0; i < modules->len && !p->modules; i++)
		if (modules->data[i]->is_exe)
			ustack_keep(m->t->ustack, modules->data[i]);
	ustack_set(m->t->ustack, (int)pid, modules);
	modules_free(p->modules);
	p->modules = modules;
}
