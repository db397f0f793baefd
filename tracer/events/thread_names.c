/* SPDX-License-Identifier: MIT */
#include "tracer/events/thread_names.h"
#include "vm/base/proc/procinfo.h"
#include "vm/base/host/vec.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Threads that have ended stay, for events that are read late; then all is read anew. */
#define NAMES_MAX     65536
#define PAST_MAX      1048576 /* of a recording, which is not read anew */
#define ANCESTORS_MAX 64

void thread_names_release(struct thread_names *n)
{
	map_release(&n->places);
	vec_release(&n->list);
}

static const char *add(struct thread_names *n, uint32_t pid, uint32_t tid,
		       const char *name)
{
	struct thread_name *slot;
	uint64_t place;

	if (map_get(&n->places, tid, &place)) {
		slot = &n->list.data[place];
	} else {
		map_set(&n->places, tid, n->list.len);
		slot = vec_push(&n->list);
		slot->parent = 0;
	}
	memset(slot->text, 0, sizeof(slot->text));
	memcpy(slot->text, name, strnlen(name, sizeof(slot->text) - 1));
	slot->tid = tid;
	slot->pid = pid;
	return slot->text;
}

static const char *read_name(struct thread_names *n, uint32_t pid, uint32_t tid)
{
	char name[THREAD_NAME_MAX] = "";

	if (n->is_past)
		return "";
	procinfo_text((int)pid, (int)tid, PROCINFO_NAME, name, sizeof(name));
	return add(n, pid, tid, name);
}

static void read_process(struct thread_names *n, uint32_t pid)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			read_name(n, pid, (uint32_t)atoi(entry->d_name));
	if (dir)
		closedir(dir);
}

void thread_names_read(struct thread_names *n)
{
	DIR *dir = n->is_past ? NULL : opendir("/proc");
	struct dirent *entry;

	thread_names_release(n);
	while (dir && (entry = readdir(dir)))
		if (*entry->d_name >= '1' && *entry->d_name <= '9')
			read_process(n, (uint32_t)atoi(entry->d_name));
	if (dir)
		closedir(dir);
	add(n, 0, 0, "swapper");
}

void thread_names_set(struct thread_names *n, uint32_t pid, uint32_t tid,
		      const char *name)
{
	char copy[THREAD_NAME_MAX] = ""; /* name may be one of these */

	memcpy(copy, name, strnlen(name, sizeof(copy) - 1));
	if (n->list.len >= (n->is_past ? PAST_MAX : NAMES_MAX))
		thread_names_read(n);
	add(n, pid, tid, copy);
}

const char *thread_names_get(struct thread_names *n, uint32_t tid)
{
	uint64_t place;

	if (map_get(&n->places, tid, &place))
		return n->list.data[place].text;
	return read_name(n, tid, tid);
}

uint32_t thread_names_process(const struct thread_names *n, uint32_t tid)
{
	uint64_t place;

	return map_get(&n->places, tid, &place) ? n->list.data[place].pid : tid;
}

void thread_names_set_parent(struct thread_names *n, uint32_t tid, uint32_t parent)
{
	uint64_t place;

	if (map_get(&n->places, tid, &place))
		n->list.data[place].parent = parent;
}

uint32_t thread_names_parent(const struct thread_names *n, uint32_t tid)
{
	uint32_t pid = thread_names_process(n, tid);
	uint64_t place;

	/* that of a thread is its own process */
	return map_get(&n->places, pid, &place) ? n->list.data[place].parent : 0;
}

bool thread_names_is_progeny(const struct thread_names *n, uint32_t tid, uint64_t pid)
{
	uint32_t at = thread_names_process(n, tid);

	for (int i = 0; i < ANCESTORS_MAX && at; i++) {
		if (at == pid)
			return true;
		at = thread_names_parent(n, at);
	}
	return false;
}
