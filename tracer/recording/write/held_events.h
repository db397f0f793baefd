/* SPDX-License-Identifier: MIT */
/*
 * The last records of a flight recorder, in memory: of the kernel's events, which have no
 * ring of ours.
 */
#ifndef TRACER_RECORDING_WRITE_HELD_EVENTS_H
#define TRACER_RECORDING_WRITE_HELD_EVENTS_H

#include "tracer/recording/write/event_file.h"

struct held_events;

/* So many bytes at most; the memory is taken as it is needed. */
struct held_events *held_events_new(size_t bytes);
/* h may be NULL. */
void held_events_free(struct held_events *h);
/* Appends a whole record; the oldest ones go when there is no room. */
void held_events_add(struct held_events *h, const void *record, size_t n);
/* Appends all to the file; they stay. */
void held_events_write(const struct held_events *h, struct event_file *f);

#endif
