/* SPDX-License-Identifier: MIT */
#include "tracer/recording/write/processes_out.h"
#include "tracer/base/rate.h"
#include "vm/base/hash.h"
#include "vm/base/host/clock.h"
#include "vm/base/proc/maps_line.h"
#include "vm/base/proc/procstat.h"
#include "vm/base/host/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX  1000000 /* that are named; others have no name */
#define MAPPINGS_MAX 1000000

void processes_out_release(struct processes_out *p)
{
	map_release(&p->threads);
	map_release(&p->mappings);
	map_release(&p->processes);
	map_release(&p->read_at);
	vec_release(&p->names);
}

/* ---- names ---- */

/* False: the thread has ended. */
static bool read_name(uint32_t pid, uint32_t tid, struct thread_name *name)
{
	char path[64];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	n = fread(name->text, 1, sizeof(name->text) - 1, file);
	fclose(file);
	name->text[n] = '\0';
	if (n && name->text[n - 1] == '\n')
		name->text[n - 1] = '\0';
	return n > 0;
}

/* A thread that has ended unnamed most likely had its process's name. */
static bool last_name(const struct processes_out *p, uint32_t pid,
		      struct thread_name *name)
{
	uint64_t place;

	if (!map_get(&p->processes, pid, &place))
		return false;
	*name = p->names.data[place];
	return true;
}

static void keep_name(struct processes_out *p, uint32_t pid,
		      const struct thread_name *name)
{
	uint64_t place;

	if (!map_get(&p->processes, pid, &place)) {
		if (p->names.len >= THREADS_MAX)
			return;
		place = p->names.len;
		vec_push(&p->names);
		map_set(&p->processes, pid, place);
	}
	p->names.data[place] = *name;
}

void processes_out_thread(struct processes_out *p, struct events_out *o,
			  const struct event_place *place)
{
	const uint64_t key = (uint64_t)place->pid << 32 | place->tid;
	struct thread_name name;

	if (map_get(&p->threads, key, NULL) || p->threads.len >= THREADS_MAX)
		return;
	map_set(&p->threads, key, 1);
	if (read_name(place->pid, place->tid, &name) || last_name(p, place->pid, &name))
		events_out_name(o, place, name.text, false);
}

/* ---- mappings ---- */

static void set_build_id(struct event_map *m, const struct modules *ms)
{
	for (size_t i = 0; ms && i < ms->len; i++) {
		const struct module *module = ms->data[i];

		if (module && module->build_id_size && module->ino == m->inode &&
		    strcmp(module->path, m->path) == 0) {
			m->build_id = module->build_id;
			m->build_id_size = module->build_id_size;
			return;
		}
	}
}

/* Of a line of /proc/PID/maps; false: it maps no code. */
static bool read_map(char *line, struct event_map *m)
{
	struct maps_line l;

	if (!maps_line_parse(line, &l) || l.perms[2] != 'x' || l.hi <= l.lo)
		return false;
	*m = (struct event_map){
		.address = l.lo,
		.size = l.hi - l.lo,
		.offset = l.offset,
		.inode = l.inode,
		.major = l.major,
		.minor = l.minor,
		.path = *l.path ? l.path : "//anon",
	};
	return true;
}

static void write_maps(struct processes_out *p, struct events_out *o,
		       const struct event_place *place, const struct modules *ms)
{
	char path[64], *line = NULL;
	struct event_map m;
	size_t room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/maps", place->pid);
	file = fopen(path, "re");
	while (file && getline(&line, &room, file) > 0) {
		uint64_t key = hash_bytes(line, strlen(line), place->pid);

		if (p->mappings.len >= MAPPINGS_MAX || !read_map(line, &m) ||
		    map_get(&p->mappings, key, NULL))
			continue;
		map_set(&p->mappings, key, 1);
		set_build_id(&m, ms);
		events_out_map(o, place, &m);
	}
	free(line);
	if (file)
		fclose(file);
}

/* A process that is seen first, of a parent that was seen before. */
static void write_fork(struct processes_out *p, struct events_out *o,
		       const struct event_place *place)
{
	struct procstat s;
	uint32_t parent;

	if (map_get(&p->processes, place->pid, NULL) ||
	    procstat_read((int)place->pid, (int)place->pid, &s) ||
	    !procstat_field(s.text, PROCSTAT_PPID))
		return;
	parent = (uint32_t)procstat_number(s.text, PROCSTAT_PPID);
	if (map_get(&p->processes, parent, NULL))
		events_out_fork(
			o, place,
			&(struct event_fork){place->pid, parent, place->pid, parent});
}

/* It is known what it is called. */
static void note_thread(struct processes_out *p, uint32_t pid, uint32_t tid)
{
	if (p->threads.len < THREADS_MAX)
		map_set(&p->threads, (uint64_t)pid << 32 | tid, 1);
}

void processes_out_fork(struct processes_out *p, struct events_out *o,
			const struct event_place *place, const struct event_fork *f)
{
	note_thread(p, f->pid, f->tid);
	events_out_fork(o, place, f);
}

void processes_out_name(struct processes_out *p, struct events_out *o,
			const struct event_place *place, const char *name, bool is_exec)
{
	note_thread(p, place->pid, place->tid);
	if (is_exec)
		map_remove(&p->read_at, place->pid);
	events_out_name(o, place, name, is_exec);
}

void processes_out_code(struct processes_out *p, struct events_out *o,
			const struct event_place *place)
{
	const uint64_t now = clock_now_ns() / NSEC_PER_SEC;
	uint64_t before;

	if (map_get(&p->read_at, place->pid, &before) && before >= now)
		return;
	if (p->read_at.len >= THREADS_MAX)
		map_release(&p->read_at);
	map_set(&p->read_at, place->pid, now);
	write_maps(p, o, place, NULL);
}

void processes_out_image(struct processes_out *p, struct events_out *o,
			 const struct event_place *place, const struct modules *ms)
{
	struct thread_name name;

	write_fork(p, o, place);
	if (read_name(place->pid, place->pid, &name)) {
		keep_name(p, place->pid, &name);
		map_set(&p->threads, (uint64_t)place->pid << 32 | place->pid, 1);
		events_out_name(o, place, name.text, false);
	}
	write_maps(p, o, place, ms);
}
