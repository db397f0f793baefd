/* SPDX-License-Identifier: MIT */
/*
 * Prints what surrounds the data of a record: the header, the prefix with CPU, id and
 * name or the indented arrows of -F, and the newline.
 */
#ifndef TRACER_CONSUME_RECORD_HEADER_H
#define TRACER_CONSUME_RECORD_HEADER_H

#include "tracer/base/options.h"
#include "tracer/output/out.h"
#include "tracer/base/probe.h"
#include "vm/base/host/map.h"
#include "vm/record.h"

#define RECORD_PREFIXES 64

/* What a line begins with: CPU, id and name. */
struct record_prefix {
	uint32_t probe, cpu;
	size_t len; /* 0: empty */
	char text[112];
};

struct record_header {
	const struct probes *probes; /* these three are borrowed */
	const struct options *options;
	struct out *out;
	bool has_header;
	bool is_quiet; /* when the line began: setopt() applies to the next line */
	size_t indent;
	struct map last; /* -F: of each thread's last record, probe << 32 | epid */
	struct {
		struct flow_thread *data;
		size_t len, cap;
	} threads; /* flowtid, flowtime: what each thread is in; all: number 0 */
	struct map by_tid; /* their numbers */
	char duration[32]; /* of the line that is being printed */
	struct record_prefix prefixes[RECORD_PREFIXES]; /* by probe */
};

void record_header_release(struct record_header *l);

/*
 * Begins the line of a record. next is the record after it in the stream, or NULL;
 * only -F needs it.
 */
void record_header_begin(struct record_header *l, const struct record *r,
			 const struct probe *p, const struct record *next);
void record_header_end(struct record_header *l, const struct record *r);

#endif
