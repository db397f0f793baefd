/* SPDX-License-Identifier: MIT */
/*
 * The events of a recording. Probes are tracepoints: one for each provider (without the
 * number of a process) and name. All are known before the first record; the probes that
 * come later, of others, are dtrace:other. Beside them there are the kernel's own events:
 * its tracepoints, and samples.
 */
#ifndef TRACER_RECORDING_WRITE_TRACEPOINTS_H
#define TRACER_RECORDING_WRITE_TRACEPOINTS_H

#include "tracer/events/origin.h"
#include "vm/base/base.h"
#include "vm/base/host/map.h"
#include "vm/base/host/strbuf.h"

enum { /* their numbers; those of probes follow */
       TRACEPOINT_RECORDING,
       TRACEPOINT_PROBE,
       TRACEPOINT_DESCRIPTION,
       TRACEPOINT_OTHER,
       TRACEPOINT_ASKED,
       TRACEPOINT_PYTHON,
       TRACEPOINT_FIRST,
};

#define TRACEPOINTS_MAX 1024

struct tracepoint {
	char *system, *name; /* NULL: samples */
	uint32_t nargs;	     /* of a probe's: how many it has */
	bool is_kernel;
	struct origin_event event; /* of the kernel; its names are those above */
	char *format;		   /* the kernel's; of samples NULL */
};

/* Zeroed, tracepoints_init() makes it ready. */
struct tracepoints {
	struct {
		struct tracepoint *data;
		size_t len, cap;
	} list;		       /* by number */
	struct strmap numbers; /* "system:name" -> number, of those that are ours */
};

void tracepoints_init(struct tracepoints *ts);
void tracepoints_release(struct tracepoints *ts);

/*
 * The number for a probe. Without may_add, or when there are too many, that may be
 * TRACEPOINT_OTHER.
 */
uint32_t tracepoints_of(struct tracepoints *ts, const char *provider, const char *name,
			bool may_add);
/* An event of the kernel, with the text of its format. Its number. */
uint32_t tracepoints_add_kernel(struct tracepoints *ts,
				const struct origin_event *event, const char *format);
/*
 * The id that the kernel has given it, or would have: common_type, and config of its
 * attributes.
 */
uint32_t tracepoints_id(const struct tracepoints *ts, uint32_t number);
/* Bytes of a probe's event before its texts; of the other ones 0. */
uint32_t tracepoint_fixed(const struct tracepoints *ts, uint32_t number);

/* Appends the formats of all: what trace-cmd.dat(5) has in place of those of tracefs. */
void tracepoints_formats(const struct tracepoints *ts, struct strbuf *out);

#endif
