/* SPDX-License-Identifier: MIT */
/*
 * What the threads of the machine are called at the time of each event (execname), and to
 * which processes they belong.
 */
#ifndef TRACER_EVENTS_THREAD_NAMES_H
#define TRACER_EVENTS_THREAD_NAMES_H

#include "vm/base/host/map.h"

#define THREAD_NAME_MAX 16 /* bytes, with the end */

/* A zeroed struct is empty and ready. */
struct thread_names {
	bool is_past;	   /* of a recording: /proc is not asked */
	struct map places; /* tid -> place in list */
	struct {
		struct thread_name {
			char text[THREAD_NAME_MAX];
			uint32_t tid;
			uint32_t pid;	 /* of its process */
			uint32_t parent; /* process; 0: not known (is_past only) */
		} * data;
		size_t len, cap;
	} list;
};

void thread_names_release(struct thread_names *n);
/* Replaces all by what /proc says now. */
void thread_names_read(struct thread_names *n);
/* A thread of process pid is called name. */
void thread_names_set(struct thread_names *n, uint32_t pid, uint32_t tid,
		      const char *name);
/* Of a recording: the process that made the thread's process. */
void thread_names_set_parent(struct thread_names *n, uint32_t tid, uint32_t parent);
uint32_t thread_names_parent(const struct thread_names *n, uint32_t tid);
/* Whether pid is the thread's process, or one that made it. */
bool thread_names_is_progeny(const struct thread_names *n, uint32_t tid, uint64_t pid);
/*
 * Terminated, valid until the next call of any function but this. An unknown thread's
 * name comes from /proc; it is "" if that does not know it either.
 */
const char *thread_names_get(struct thread_names *n, uint32_t tid);
/* The process of a thread; tid itself if it is unknown. */
uint32_t thread_names_process(const struct thread_names *n, uint32_t tid);

#endif
