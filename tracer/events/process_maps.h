/* SPDX-License-Identifier: MIT */
/*
 * What is mapped in processes that are not traced, for the names in their stacks.
 */
#ifndef TRACER_EVENTS_PROCESS_MAPS_H
#define TRACER_EVENTS_PROCESS_MAPS_H

#include "tracer/base/core.h"

struct process_maps;

struct process_maps *process_maps_new(struct tracer *t);
void process_maps_free(struct process_maps *m);
/*
 * A stack of the process was taken. What is mapped is read, unless it was read less than
 * a second ago, and given to t->ustack.
 */
void process_maps_note(struct process_maps *m, uint32_t pid);

#endif
