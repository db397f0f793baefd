/* SPDX-License-Identifier: MIT */
/* The fields of a record, by the attributes of its event: see perf_event_open(2). */
#ifndef TRACER_RECORDING_READ_DECODE_H
#define TRACER_RECORDING_READ_DECODE_H

#include "tracer/events/origin.h"
#include "tracer/recording/read/attrs.h"

#define RECORDED_BUILD_ID_MAX 20

/* A mapping with code. path points into the record and is terminated. */
struct recorded_map {
	uint32_t pid;
	uint64_t address, size, offset;
	uint64_t inode; /* 0: not recorded */
	uint8_t build_id[RECORDED_BUILD_ID_MAX];
	size_t build_id_size; /* 0: not recorded */
	const char *path;
};

/* When and where a record was made; false: it is too short. */
bool decode_identity(const struct recorded_attr *attr, const struct recorded *r,
		     struct ring_record *out);
/*
 * The rest of one: a sample, name, fork, lost records; *out has the identity, and is
 * changed to what clauses are to see. 1; 0: another kind; BADFMT.
 */
int decode_record(const struct recorded_attr *attr, const struct recorded *r,
		  struct ring_record *out, struct err *e);
/* A mapping. 1; 0: another kind; BADFMT. */
int decode_map(const struct recorded *r, struct recorded_map *out, struct err *e);

#endif
