/* SPDX-License-Identifier: MIT */
/*
 * Entries and returns of functions as trace events, the JSON that Chrome's and Perfetto's
 * viewers read: a track for each thread, in groups by process.
 *
 * The file grows while tracing. What is open at the end ends there, marked unfinished.
 * A return whose entry was not recorded, and a record of any other probe of a process, is
 * an instant. A function that is left without a return (longjmp(), an exception, a call
 * that does not return) ends when one of its callers does.
 */
#ifndef TRACER_PICTURES_TIMELINE_H
#define TRACER_PICTURES_TIMELINE_H

#include "tracer/base/probe.h"
#include "vm/record.h"

#include <stdio.h>

struct timeline;

/*
 * f is taken over, probes is borrowed. process_name: the name of a process that has
 * ended, or NULL; it may be chosen by the process.
 */
struct timeline *timeline_new(FILE *f, const struct probes *probes,
			      const char *(*process_name)(void *ctx, uint32_t pid),
			      void *ctx);
/* Adds a record, in the order in which they are printed. */
void timeline_add(struct timeline *t, const struct record *r, const struct probe *p);
/* How many events the file has, without names of tracks; how many were left out. */
uint64_t timeline_events(const struct timeline *t);
uint64_t timeline_left_out(const struct timeline *t);
/* Ends and closes the file; NULL is nothing. False, with errno: a write failed. */
bool timeline_end(struct timeline *t);

#endif
