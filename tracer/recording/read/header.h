/* SPDX-License-Identifier: MIT */
/*
 * What a recording says of itself: its events, their formats, the machine, the clock and
 * the files of processes. In a file it stands around the records, in one that went
 * through a pipe it is records at the start. See perf.data-file-format.txt of perf.
 */
#ifndef TRACER_RECORDING_READ_HEADER_H
#define TRACER_RECORDING_READ_HEADER_H

#include "tracer/recording/read/attrs.h"
#include "tracer/recording/read/data_file.h"
#include "tracer/recording/read/decode.h"
#include "tracer/recording/read/recorded_machine.h"
#include "tracer/recording/read/tracing_data.h"

struct recorded_build_id {
	uint8_t bytes[RECORDED_BUILD_ID_MAX];
	size_t n;
};

struct header {
	bool is_piped;
	uint64_t data, data_end; /* where the records are */
	struct attrs attrs;
	struct tracing_data formats;
	struct recorded_machine machine;
	struct strmap by_path; /* -> 1 + place in build_ids */
	struct {
		struct recorded_build_id *data;
		size_t len, cap;
	} build_ids;
	uint64_t first, last; /* times of the first and the last sample; 0: not told */
	bool has_wall;
	uint64_t wall_offset; /* wall clock - time of the records */
};

/* Reads it; of a piped recording only header_record() does. */
int header_read(struct header *h, const struct data_file *f, struct err *e);
/* A record may be part of it; r has just given it. 1: it was; 0; BADFMT. */
int header_record(struct header *h, struct reader *r, const struct recorded *record,
		  struct err *e);
void header_release(struct header *h);
/* NULL: the recording does not tell. */
const struct recorded_build_id *header_build_id(const struct header *h,
						const char *path);

#endif
