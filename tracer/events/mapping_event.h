/* SPDX-License-Identifier: MIT */
/*
 * Files that processes map as code: programs, their loaders and libraries. The kernel has
 * no tracepoint for it, but perf events tell of it, in records of their own. Here they
 * become an event like those of tracepoints, with a system and a name that no tracepoint
 * has, a format, and bytes.
 */
#ifndef TRACER_EVENTS_MAPPING_EVENT_H
#define TRACER_EVENTS_MAPPING_EVENT_H

#include "vm/base/host/strbuf.h"

#define MAPPING_SYSTEM "perf"
#define MAPPING_NAME   "mapping"

/* What is mapped. path: as the kernel names it; it need not be a file's. */
struct mapping_event {
	uint64_t address, size, offset;
	const char *path; /* n characters at most, or up to a zero byte */
	size_t n;
};

#define MAPPING_PATH_MAX 4096
/* Of an event: the fixed part and a path. */
#define MAPPING_BYTES (36 + MAPPING_PATH_MAX)

bool mapping_event_is(const char *system, const char *name);
/* Appends the format. */
void mapping_event_format(struct strbuf *out);
/* The kernel also tells of memory that is code and no file: "//anon", "[vdso]". */
bool mapping_event_is_file(const struct mapping_event *m);
/* Makes the event of thread tid; returns its length. */
uint32_t mapping_event_make(const struct mapping_event *m, uint32_t tid,
			    unsigned char out[MAPPING_BYTES]);

#endif
