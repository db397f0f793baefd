/* SPDX-License-Identifier: MIT */
/*
 * The events that were recorded: a struct perf_event_attr and the ids of each. Records
 * name the event by an id, which stands where its attributes say.
 */
#ifndef TRACER_RECORDING_READ_ATTRS_H
#define TRACER_RECORDING_READ_ATTRS_H

#include "tracer/recording/read/reader.h"
#include "vm/base/host/map.h"

#define ATTRS_MAX    16384
#define ATTR_IDS_MAX 16777216 /* of all: events times processors */

struct recorded_attr {
	uint32_t type; /* of perf_event_open(2), and all below */
	uint64_t config, sample_type, read_format, period;
	bool is_frequency; /* period is samples a second */
	bool has_trailer;  /* records that are no samples say when and where */
	bool has_mappings; /* there are such of what processes map as code */
	char *name;	   /* as perf shows it; or NULL */
};

/* Zeroed it is empty and ready. */
struct attrs {
	struct {
		struct recorded_attr *data;
		size_t len, cap;
	} list;
	struct map by_id; /* -> 1 + number in list */
	uint64_t nids;	  /* also those given twice */
};

void attrs_release(struct attrs *a);
/* Adds the event of n bytes of attributes. BADFMT: they make no sense; too many. */
int attrs_add(struct attrs *a, const unsigned char *bytes, size_t n, struct err *e);
/* The event with the number has the id. */
int attrs_add_id(struct attrs *a, size_t number, uint64_t id, struct err *e);
void attrs_set_name(struct attrs *a, size_t number, const char *name, size_t n);
/* Whose record it is; NULL: none of them. */
const struct recorded_attr *attrs_of(const struct attrs *a, const struct recorded *r);

#endif
