/* SPDX-License-Identifier: MIT */
#include "tracer/recording/read/header.h"
#include "tracer/recording/read/cursor.h"
#include "vm/base/bytes.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define PIPED_HEADER  16
#define FILE_HEADER   104
#define FEATURES      256
#define FEATURE_MAX   (UINT64_C(256) << 20) /* bytes of one */
#define BUILD_IDS_MAX 1048576

enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_EVENTS = 12,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_CLOCK_DATA = 29,
};

struct section {
	uint64_t offset, size;
};

void header_release(struct header *h)
{
	attrs_release(&h->attrs);
	tracing_data_release(&h->formats);
	recorded_machine_release(&h->machine);
	strmap_release(&h->by_path);
	vec_release(&h->build_ids);
}

const struct recorded_build_id *header_build_id(const struct header *h,
						const char *path)
{
	uint64_t place;

	return strmap_get(&h->by_path, path, &place) ? &h->build_ids.data[place - 1]
						     : NULL;
}

/* ---- features ---- */

/* What follows the header of such a record: process, build-id, path. */
static void add_build_id(struct header *h, uint16_t misc, struct cursor c)
{
	struct recorded_build_id id = {.n = RECORDED_BUILD_ID_MAX};
	struct cursor bytes;
	char *path;

	cursor_take(&c, 4); /* the process: -1, or that of a virtual machine */
	bytes = cursor_take_bytes(&c, 24);
	if (bytes.n < 24 || !memchr(c.at, '\0', c.n) ||
	    h->build_ids.len >= BUILD_IDS_MAX)
		return;
	if (misc & 0x8000) /* PERF_RECORD_MISC_BUILD_ID_SIZE */
		id.n = (size_t)min_u64(bytes.at[20], RECORDED_BUILD_ID_MAX);
	memcpy(id.bytes, bytes.at, id.n);
	path = oom_strdup((const char *)c.at);
	*vec_push(&h->build_ids) = id;
	strmap_set(&h->by_path, path, h->build_ids.len);
	free(path);
}

static void add_build_ids(struct header *h, struct cursor c)
{
	while (c.n >= RECORDED_HEADER) {
		uint16_t misc = (uint16_t)bytes_load(c.at + 4, 2);
		uint16_t size = (uint16_t)bytes_load(c.at + 6, 2);
		struct cursor record;

		if (size < RECORDED_HEADER)
			return;
		record = cursor_take_bytes(&c, size);
		cursor_take(&record, RECORDED_HEADER);
		add_build_id(h, misc, record);
	}
}

/* Number in the list of the event with one of the ids. */
static bool find_attr(const struct header *h, uint64_t id, size_t *number)
{
	uint64_t found;

	if (!map_get(&h->attrs.by_id, id, &found))
		return false;
	*number = (size_t)found - 1;
	return true;
}

/* The names of the events: the attributes of each, a name, its ids. */
static void name_events(struct header *h, struct cursor c)
{
	uint64_t count = cursor_take(&c, 4), size = cursor_take(&c, 4);

	for (size_t i = 0; i < count && c.n > 0; i++) {
		struct cursor name;
		uint64_t ids;
		size_t number = i;

		cursor_take_bytes(&c, size);
		ids = cursor_take(&c, 4);
		name = cursor_take_text(&c);
		for (uint64_t k = 0; k < ids && c.n > 0; k++) {
			uint64_t id = cursor_take(&c, 8);

			if (k == 0)
				find_attr(h, id, &number);
		}
		attrs_set_name(&h->attrs, number, (const char *)name.at, name.n);
	}
}

/* Version, the clock's number, and the same moment by both clocks. */
static void set_clock(struct header *h, struct cursor c)
{
	uint64_t wall, time;

	cursor_take(&c, 4);
	cursor_take(&c, 4);
	wall = cursor_take(&c, 8);
	time = cursor_take(&c, 8);
	h->has_wall = wall != 0;
	h->wall_offset = wall - time;
}

/* n bytes at bytes, which are this function's for the formats only. */
static int add_feature(struct header *h, unsigned feature, struct cursor c,
		       struct err *e)
{
	unsigned char *copy;

	switch (feature) {
	case FEATURE_TRACING_DATA:
		copy = oom_calloc(1, c.n + 1);
		memcpy(copy, c.at, c.n);
		return tracing_data_parse(&h->formats, copy, c.n, e);
	case FEATURE_BUILD_ID:
		add_build_ids(h, c);
		return 0;
	case FEATURE_EVENTS:
		name_events(h, c);
		return 0;
	case FEATURE_SAMPLE_TIME:
		h->first = cursor_take(&c, 8);
		h->last = cursor_take(&c, 8);
		return 0;
	case FEATURE_CLOCK_DATA:
		set_clock(h, c);
		return 0;
	default:
		recorded_machine_take(&h->machine, feature, c.at, c.n);
		return 0;
	}
}

/* ---- a file ---- */

static int check_section(const struct data_file *f, const struct section *s,
			 uint64_t at, struct err *e)
{
	if (s->offset <= f->size && s->size <= f->size - s->offset)
		return 0;
	return data_file_bad(at,
			     "a section ends beyond the file: the file is cut, or "
			     "damaged",
			     e);
}

static int read_feature(struct header *h, const struct data_file *f, unsigned feature,
			uint64_t at, struct err *e)
{
	unsigned char bytes[16], *content;
	struct section s;
	int rc = data_file_read(f, at, bytes, sizeof(bytes), e);

	s = (struct section){bytes_load(bytes, 8), bytes_load(bytes + 8, 8)};
	if (rc == 0)
		rc = check_section(f, &s, at, e);
	if (rc || feature == 0)
		return rc;
	if (s.size > FEATURE_MAX)
		return data_file_bad(at, "a section of too many bytes", e);
	content = oom_calloc(1, s.size + 1);
	rc = data_file_read(f, s.offset, content, s.size, e);
	if (rc == 0 &&
	    add_feature(h, feature, (struct cursor){.at = content, .n = s.size}, e)) {
		err_context(e, "at offset %llu", (unsigned long long)s.offset);
		rc = e->status;
	}
	free(content);
	return rc;
}

static bool is_read(unsigned feature)
{
	static const unsigned list[] = {FEATURE_TRACING_DATA, FEATURE_BUILD_ID,
					FEATURE_EVENTS, FEATURE_SAMPLE_TIME,
					FEATURE_CLOCK_DATA};

	for (size_t i = 0; i < ARRAY_LEN(list); i++)
		if (list[i] == feature)
			return true;
	return recorded_machine_wants(feature);
}

/* They follow the records, in the order of the bits. */
static int read_features(struct header *h, const struct data_file *f,
			 const unsigned char bits[FEATURES / 8], struct err *e)
{
	uint64_t at = h->data_end;
	int rc = 0;

	for (unsigned i = 0; i < FEATURES && rc == 0; i++) {
		if (!(bits[i / 8] >> i % 8 & 1))
			continue;
		if (is_read(i))
			rc = read_feature(h, f, i, at, e);
		at += sizeof(struct section);
	}
	return rc;
}

static int read_ids(struct header *h, const struct data_file *f, size_t number,
		    const struct section *s, struct err *e)
{
	unsigned char bytes[8];
	int rc = 0;

	for (uint64_t i = 0; i < s->size / 8 && rc == 0; i++) {
		rc = data_file_read(f, s->offset + 8 * i, bytes, 8, e);
		if (rc == 0)
			rc = attrs_add_id(&h->attrs, number, bytes_load(bytes, 8), e);
	}
	return rc;
}

/* One of them: attributes, and the section of its ids. */
static int read_attr(struct header *h, const struct data_file *f, uint64_t at,
		     uint64_t size, struct err *e)
{
	unsigned char bytes[1024];
	struct section ids;
	int rc = data_file_read(f, at, bytes, size, e);

	if (rc)
		return rc;
	ids = (struct section){bytes_load(bytes + size - 16, 8),
			       bytes_load(bytes + size - 8, 8)};
	rc = check_section(f, &ids, at + size - 16, e);
	if (rc)
		return rc;
	rc = attrs_add(&h->attrs, bytes, size - 16, e);
	if (rc) {
		err_context(e, "at offset %llu", (unsigned long long)at);
		return rc;
	}
	return read_ids(h, f, h->attrs.list.len - 1, &ids, e);
}

static int read_attrs(struct header *h, const struct data_file *f,
		      const struct section *s, uint64_t size, struct err *e)
{
	int rc = 0;

	if (size < PERF_ATTR_SIZE_VER0 + 16 || size > 1024)
		return data_file_bad(16, "the events have a size that makes no sense",
				     e);
	for (uint64_t at = 0; rc == 0 && s->size - at >= size && at < s->size;
	     at += size)
		rc = read_attr(h, f, s->offset + at, size, e);
	return rc;
}

static int read_file(struct header *h, const struct data_file *f, struct err *e)
{
	unsigned char bytes[FILE_HEADER];
	struct section attrs, data;
	int rc = data_file_read(f, 0, bytes, sizeof(bytes), e);

	if (rc)
		return rc;
	attrs = (struct section){bytes_load(bytes + 24, 8), bytes_load(bytes + 32, 8)};
	data = (struct section){bytes_load(bytes + 40, 8), bytes_load(bytes + 48, 8)};
	if (data.size == 0)
		return data_file_bad(48,
				     "it holds no events, or perf was killed while it "
				     "recorded",
				     e);
	rc = check_section(f, &attrs, 24, e);
	if (rc == 0)
		rc = check_section(f, &data, 40, e);
	if (rc)
		return rc;
	h->data = data.offset;
	h->data_end = data.offset + data.size;
	rc = read_attrs(h, f, &attrs, bytes_load(bytes + 16, 8), e);
	return rc ? rc : read_features(h, f, bytes + 72, e);
}

int header_read(struct header *h, const struct data_file *f, struct err *e)
{
	unsigned char bytes[PIPED_HEADER];
	int rc;

	*h = (struct header){0};
	if (f->size < sizeof(bytes))
		return err_set(e, STATUS_BADFMT, "it is no recording of perf");
	rc = data_file_read(f, 0, bytes, sizeof(bytes), e);
	if (rc)
		return rc;
	if (memcmp(bytes, "2ELIFREP", 8) == 0)
		return err_set(e, STATUS_UNSUP,
			       "the recording is of a machine with another byte order");
	if (memcmp(bytes, "PERFILE2", 8) != 0)
		return err_set(e, STATUS_BADFMT, "it is no recording of perf");
	h->is_piped = bytes_load(bytes + 8, 8) == PIPED_HEADER;
	if (!h->is_piped)
		return read_file(h, f, e);
	h->data = PIPED_HEADER;
	h->data_end = f->size;
	return 0;
}

/* ---- a pipe ---- */

/* The attributes have their own size, the rest are ids. */
static int add_attr(struct header *h, struct cursor c, struct err *e)
{
	struct cursor attr;
	uint64_t size = c.n >= 8 ? bytes_load(c.at + 4, 4) : 0;
	int rc;

	size = size ? size : PERF_ATTR_SIZE_VER0;
	attr = cursor_take_bytes(&c, size);
	if (attr.n < size)
		return err_set(e, STATUS_BADFMT, "the attributes of an event are cut");
	rc = attrs_add(&h->attrs, attr.at, attr.n, e);
	while (rc == 0 && c.n >= 8)
		rc = attrs_add_id(&h->attrs, h->attrs.list.len - 1, cursor_take(&c, 8),
				  e);
	return rc;
}

/* Its kind, an id, a name. */
static void update_event(struct header *h, struct cursor c)
{
	const uint64_t name = 2; /* PERF_EVENT_UPDATE__NAME */
	uint64_t kind = cursor_take(&c, 8), id = cursor_take(&c, 8);
	size_t number;

	if (kind == name && find_attr(h, id, &number))
		attrs_set_name(&h->attrs, number, (const char *)c.at, c.n);
}

/* The formats follow the record; their length is padded. */
static int take_formats(struct header *h, struct reader *r, struct cursor c,
			struct err *e)
{
	uint64_t n = cursor_take(&c, 4);
	struct strbuf bytes = {0};
	int rc;

	strbuf_add(&bytes, "", 0);
	rc = reader_take(r, align_up(n, 8), &bytes, e);
	if (rc) {
		strbuf_release(&bytes);
		return rc;
	}
	/* the memory is the formats' now */
	return tracing_data_parse(&h->formats, (unsigned char *)bytes.data, (size_t)n,
				  e);
}

static int take_record(struct header *h, struct reader *r,
		       const struct recorded *record, struct err *e)
{
	struct cursor c = {.at = record->bytes + RECORDED_HEADER,
			   .n = record->size - (size_t)RECORDED_HEADER};

	switch (record->type) {
	case RECORD_HEADER_ATTR:
		return add_attr(h, c, e);
	case RECORD_TRACING_DATA:
		return take_formats(h, r, c, e);
	case RECORD_BUILD_ID:
		add_build_id(h, record->misc, c);
		return 0;
	case RECORD_EVENT_UPDATE:
		update_event(h, c);
		return 0;
	default: { /* RECORD_FEATURE */
		unsigned feature = (unsigned)min_u64(cursor_take(&c, 8), FEATURES);

		/* these are records of their own */
		if (feature == FEATURE_TRACING_DATA || feature == FEATURE_BUILD_ID)
			return 0;
		return add_feature(h, feature, c, e);
	}
	}
}

int header_record(struct header *h, struct reader *r, const struct recorded *record,
		  struct err *e)
{
	switch (record->type) {
	case RECORD_HEADER_ATTR:
	case RECORD_TRACING_DATA:
	case RECORD_BUILD_ID:
	case RECORD_EVENT_UPDATE:
	case RECORD_FEATURE:
		break;
	default:
		return 0;
	}
	if (!h->is_piped)
		return 1;
	if (take_record(h, r, record, e)) {
		err_context(e, "at offset %llu", (unsigned long long)record->offset);
		return e->status;
	}
	return 1;
}
