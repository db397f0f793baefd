/* SPDX-License-Identifier: MIT */
/*
 * The records of a recording as they stand in the file, one after the other; those of
 * compressed records in their place.
 */
#ifndef TRACER_RECORDING_READ_READER_H
#define TRACER_RECORDING_READ_READER_H

#include "tracer/recording/read/data_file.h"
#include "vm/base/host/strbuf.h"

/* Of struct perf_event_header; those from 64 on are perf's own. */
enum {
	RECORD_HEADER_ATTR = 64,
	RECORD_TRACING_DATA = 66,
	RECORD_BUILD_ID = 67,
	RECORD_FINISHED_ROUND = 68,
	RECORD_AUXTRACE = 71,
	RECORD_EVENT_UPDATE = 78,
	RECORD_FEATURE = 80,
	RECORD_COMPRESSED = 81,
};

#define RECORDED_HEADER 8

/* A record; bytes begin with the header and are valid until the next call. */
struct recorded {
	uint64_t offset; /* in the file; of the compressed record that holds it */
	uint32_t type;
	uint16_t misc, size;
	const unsigned char *bytes;
};

struct reader;

/* Reads the file, which is borrowed, from the offset on up to the end. */
struct reader *reader_new(const struct data_file *f, uint64_t offset, uint64_t end);
void reader_free(struct reader *r); /* r may be NULL */
/* 1; 0 at the end; BADFMT, IO: the text names the offset. */
int reader_next(struct reader *r, struct recorded *out, struct err *e);
/* Appends to out the n bytes after the record in the file; out NULL: skips them. */
int reader_take(struct reader *r, uint64_t n, struct strbuf *out, struct err *e);

#endif
