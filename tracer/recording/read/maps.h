/* SPDX-License-Identifier: MIT */
/*
 * What was mapped in the recorded processes, for the names in their stacks: files with
 * code, as the records of mappings, forks and programs that were executed tell.
 */
#ifndef TRACER_RECORDING_READ_MAPS_H
#define TRACER_RECORDING_READ_MAPS_H

#include "tracer/output/ustack.h"
#include "tracer/recording/read/decode.h"
#include "tracer/recording/read/header.h"

struct recorded_maps;

/* h is borrowed: it has build-ids of files. */
struct recorded_maps *recorded_maps_new(const struct header *h);
/* u: where the names were given to; or NULL. m may be NULL. */
void recorded_maps_free(struct recorded_maps *m, struct ustack *u);
void recorded_maps_add(struct recorded_maps *m, const struct recorded_map *map);
void recorded_maps_fork(struct recorded_maps *m, uint32_t pid, uint32_t parent);
/* The process executes another program: nothing is mapped any more. */
void recorded_maps_exec(struct recorded_maps *m, uint32_t pid);
/* Gives u what is mapped in the process now, which is the time of the recording. */
void recorded_maps_name(struct recorded_maps *m, struct ustack *u, uint32_t pid,
			uint64_t now);

#endif
