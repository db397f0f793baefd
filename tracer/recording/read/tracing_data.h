/* SPDX-License-Identifier: MIT */
/*
 * The formats of tracepoints as trace-cmd.dat(5) has them, which perf stores with what it
 * records of them.
 */
#ifndef TRACER_RECORDING_READ_TRACING_DATA_H
#define TRACER_RECORDING_READ_TRACING_DATA_H

#include "vm/base/base.h"
#include "vm/base/host/err.h"
#include "vm/base/host/map.h"

struct recorded_format {
	char *system, *name;
	uint32_t id;
	const char *text; /* n bytes, of tracing_data.bytes */
	size_t n;
};

/* Zeroed it is empty and ready. */
struct tracing_data {
	unsigned char *bytes; /* owned */
	struct {
		struct recorded_format *data;
		size_t len, cap;
	} list;
	struct map by_id; /* -> 1 + place in list */
};

void tracing_data_release(struct tracing_data *d);
/* Takes n bytes, also after an error. BADFMT: the text names the offset in them. */
int tracing_data_parse(struct tracing_data *d, unsigned char *bytes, size_t n,
		       struct err *e);
/* The format of a tracepoint's number; NULL: there is none. */
const struct recorded_format *tracing_data_find(const struct tracing_data *d,
						uint64_t id);

#endif
