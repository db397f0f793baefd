/* SPDX-License-Identifier: MIT */
#include "tracer/recording/read/attrs.h"
#include "vm/base/bytes.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 256

void attrs_release(struct attrs *a)
{
	for (size_t i = 0; i < a->list.len; i++)
		free(a->list.data[i].name);
	vec_release(&a->list);
	map_release(&a->by_id);
}

int attrs_add(struct attrs *a, const unsigned char *bytes, size_t n, struct err *e)
{
	struct perf_event_attr attr = {0};

	if (n < PERF_ATTR_SIZE_VER0)
		return err_set(e, STATUS_BADFMT, "the attributes of an event are cut");
	if (a->list.len >= ATTRS_MAX)
		return err_set(e, STATUS_BADFMT, "more than %d events", ATTRS_MAX);
	memcpy(&attr, bytes, min_u64(n, sizeof(attr)));
	*vec_push(&a->list) = (struct recorded_attr){
		.type = attr.type,
		.config = attr.config,
		.sample_type = attr.sample_type,
		.read_format = attr.read_format,
		.period = attr.sample_period,
		.is_frequency = attr.freq,
		.has_trailer = attr.sample_id_all,
		.has_mappings = attr.mmap || attr.mmap2,
	};
	return 0;
}

int attrs_add_id(struct attrs *a, size_t number, uint64_t id, struct err *e)
{
	if (++a->nids > ATTR_IDS_MAX)
		return err_set(e, STATUS_BADFMT, "more than %d ids of events",
			       ATTR_IDS_MAX);
	map_set(&a->by_id, id, number + 1);
	return 0;
}

void attrs_set_name(struct attrs *a, size_t number, const char *name, size_t n)
{
	char *copy;

	if (number >= a->list.len)
		return;
	n = strnlen(name, min_u64(n, NAME_MAX_BYTES));
	copy = oom_calloc(1, n + 1);
	memcpy(copy, name, n);
	free(a->list.data[number].name);
	a->list.data[number].name = copy;
}

/* Bytes before the id in a sample. */
static size_t before_id(uint64_t sample_type)
{
	static const uint64_t bits[] = {PERF_SAMPLE_IP, PERF_SAMPLE_TID,
					PERF_SAMPLE_TIME, PERF_SAMPLE_ADDR};
	size_t n = 0;

	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(bits); i++)
		n += sample_type & bits[i] ? 8U : 0U;
	return n;
}

/* Bytes from the id to the end of another record. */
static size_t after_id(uint64_t sample_type)
{
	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		return 8;
	return 8U + (sample_type & PERF_SAMPLE_STREAM_ID ? 8U : 0U) +
	       (sample_type & PERF_SAMPLE_CPU ? 8U : 0U);
}

/* All events have the id in one place, or records could not be told apart. */
static bool find_id(const struct attrs *a, const struct recorded *r, uint64_t *id)
{
	const struct recorded_attr *first = a->list.data;
	size_t at = RECORDED_HEADER;

	if (!(first->sample_type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)))
		return false;
	if (r->type == PERF_RECORD_SAMPLE)
		at += before_id(first->sample_type);
	else if (first->has_trailer && r->size >= at + after_id(first->sample_type))
		at = r->size - after_id(first->sample_type);
	else
		return false;
	if (at + 8 > r->size)
		return false;
	*id = bytes_load(r->bytes + at, 8);
	return true;
}

const struct recorded_attr *attrs_of(const struct attrs *a, const struct recorded *r)
{
	uint64_t id, number;

	if (a->list.len == 0)
		return NULL;
	if (a->list.len == 1 || !find_id(a, r, &id))
		return &a->list.data[0];
	if (map_get(&a->by_id, id, &number))
		return &a->list.data[number - 1];
	/* records that perf makes itself have none */
	return r->type == PERF_RECORD_SAMPLE ? NULL : &a->list.data[0];
}
