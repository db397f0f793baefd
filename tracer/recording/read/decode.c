/* SPDX-License-Identifier: MIT */
#include "tracer/recording/read/decode.h"
#include "tracer/events/call_chain.h"
#include "tracer/recording/read/cursor.h"

#include <linux/perf_event.h>
#include <string.h>

#define MMAP_BUILD_ID 0x4000 /* PERF_RECORD_MISC_MMAP_BUILD_ID */

/* What follows the header. */
static struct cursor words_of(const struct recorded *r)
{
	return (struct cursor){.at = r->bytes + RECORDED_HEADER,
			       .n = r->size - RECORDED_HEADER};
}

/* ---- identity ---- */

static bool sample_identity(const struct recorded_attr *attr, const struct recorded *r,
			    struct ring_record *out)
{
	struct cursor w = words_of(r);
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		cursor_take(&w, 8);
	if (type & PERF_SAMPLE_IP)
		out->pc = cursor_take(&w, 8);
	if (type & PERF_SAMPLE_TID) {
		out->pid = (uint32_t)cursor_take(&w, 4);
		out->tid = (uint32_t)cursor_take(&w, 4);
	}
	if (type & PERF_SAMPLE_TIME)
		out->time = cursor_take(&w, 8);
	if (type & PERF_SAMPLE_ADDR)
		cursor_take(&w, 8);
	if (type & PERF_SAMPLE_ID)
		cursor_take(&w, 8);
	if (type & PERF_SAMPLE_STREAM_ID)
		cursor_take(&w, 8);
	if (type & PERF_SAMPLE_CPU)
		out->cpu = (uint32_t)cursor_take(&w, 8);
	return !w.is_short;
}

/* At the end of all other records. */
static bool trailer_identity(const struct recorded_attr *attr, const struct recorded *r,
			     struct ring_record *out)
{
	static const uint64_t bits[] = {PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
					PERF_SAMPLE_ID,	 PERF_SAMPLE_STREAM_ID,
					PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER};
	struct cursor w = words_of(r);
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(bits); i++)
		n += attr->sample_type & bits[i] ? 8U : 0U;
	if (!attr->has_trailer)
		return true;
	if (w.n < n)
		return false;
	cursor_take_bytes(&w, w.n - n);
	if (attr->sample_type & PERF_SAMPLE_TID) {
		out->pid = (uint32_t)cursor_take(&w, 4);
		out->tid = (uint32_t)cursor_take(&w, 4);
	}
	if (attr->sample_type & PERF_SAMPLE_TIME)
		out->time = cursor_take(&w, 8);
	if (attr->sample_type & PERF_SAMPLE_ID)
		cursor_take(&w, 8);
	if (attr->sample_type & PERF_SAMPLE_STREAM_ID)
		cursor_take(&w, 8);
	if (attr->sample_type & PERF_SAMPLE_CPU)
		out->cpu = (uint32_t)cursor_take(&w, 8);
	return true;
}

bool decode_identity(const struct recorded_attr *attr, const struct recorded *r,
		     struct ring_record *out)
{
	return r->type == PERF_RECORD_SAMPLE ? sample_identity(attr, r, out)
					     : trailer_identity(attr, r, out);
}

/* ---- samples ---- */

/* A value of read(2) on the event, or of a group of them. */
static void skip_read(struct cursor *w, uint64_t format)
{
	uint64_t times = (format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 8U : 0U) +
			 (format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 8U : 0U);
	uint64_t each = 8U + (format & PERF_FORMAT_ID ? 8U : 0U) +
			(format & (1U << 4) ? 8U : 0U); /* PERF_FORMAT_LOST */
	uint64_t n = 1;

	if (format & PERF_FORMAT_GROUP)
		n = cursor_take(w, 8);
	if (n > UINT16_MAX) {
		w->is_short = true;
		return;
	}
	cursor_take_bytes(w, times + n * each);
}

static void take_chain(struct cursor *w, struct ring_record *out)
{
	uint64_t n = cursor_take(w, 8);

	if (n > w->n / 8) {
		w->is_short = true;
		return;
	}
	/* records are copied to memory that is aligned, and all before is in words */
	call_chain_split((const uint64_t *)(const void *)w->at, n, out);
	cursor_take_bytes(w, n * 8);
}

/* Without a chain the place of the sample is the innermost frame. */
static void make_chain(const struct recorded_attr *attr, struct ring_record *out)
{
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN ||
	    !(attr->sample_type & PERF_SAMPLE_IP))
		return;
	if (out->in_kernel) {
		out->kernel = &out->pc;
		out->nkernel = 1;
	} else {
		out->user = &out->pc;
		out->nuser = 1;
	}
}

static int decode_sample(const struct recorded_attr *attr, const struct recorded *r,
			 struct ring_record *out, struct err *e)
{
	static const uint64_t bits[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,	  PERF_SAMPLE_TID,
		PERF_SAMPLE_TIME,	PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID,	PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD};
	uint64_t type = attr->sample_type;
	struct cursor w = words_of(r);

	out->kind = RING_EVENT;
	out->in_kernel =
		(r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	for (size_t i = 0; i < ARRAY_LEN(bits); i++)
		cursor_take_bytes(&w, type & bits[i] ? 8U : 0U);
	if (type & PERF_SAMPLE_READ)
		skip_read(&w, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		take_chain(&w, out);
	if (type & PERF_SAMPLE_RAW) {
		out->n = (uint32_t)cursor_take(&w, 4);
		out->bytes = w.at;
		cursor_take_bytes(&w, out->n);
	}
	if (w.is_short)
		return data_file_bad(r->offset, "a sample is cut", e);
	make_chain(attr, out);
	return 1;
}

/* ---- other records ---- */

static int decode_name(const struct recorded *r, struct ring_record *out, struct err *e)
{
	struct cursor w = words_of(r);

	out->kind = RING_NAME;
	out->pid = (uint32_t)cursor_take(&w, 4);
	out->tid = (uint32_t)cursor_take(&w, 4);
	if (w.is_short)
		return data_file_bad(r->offset, "a record of a name is cut", e);
	memset(out->text, 0, sizeof(out->text));
	memcpy(out->text, w.at, min_u64(w.n, sizeof(out->text) - 1));
	return 1;
}

static int decode_fork(const struct recorded *r, struct ring_record *out, struct err *e)
{
	struct cursor w = words_of(r);

	out->kind = RING_FORK;
	out->pid = (uint32_t)cursor_take(&w, 4);
	out->parent_pid = (uint32_t)cursor_take(&w, 4);
	out->tid = (uint32_t)cursor_take(&w, 4);
	out->parent = (uint32_t)cursor_take(&w, 4);
	return w.is_short ? data_file_bad(r->offset, "a record of a fork is cut", e)
			  : 1;
}

/* PERF_RECORD_LOST has an id first. */
static int decode_lost(const struct recorded *r, struct ring_record *out, struct err *e)
{
	struct cursor w = words_of(r);

	out->kind = RING_LOST;
	if (r->type == PERF_RECORD_LOST)
		cursor_take(&w, 8);
	out->count = cursor_take(&w, 8);
	return w.is_short
		       ? data_file_bad(r->offset, "a record of lost events is cut", e)
		       : 1;
}

int decode_record(const struct recorded_attr *attr, const struct recorded *r,
		  struct ring_record *out, struct err *e)
{
	switch (r->type) {
	case PERF_RECORD_SAMPLE:
		return decode_sample(attr, r, out, e);
	case PERF_RECORD_COMM:
		return decode_name(r, out, e);
	case PERF_RECORD_FORK:
		return decode_fork(r, out, e);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return decode_lost(r, out, e);
	default:
		return 0;
	}
}

/* Of PERF_RECORD_MMAP2: the file by its build-id, or by its inode. */
static void take_file(const struct recorded *r, struct cursor *w,
		      struct recorded_map *out)
{
	struct cursor file = *w;

	cursor_take_bytes(w, 24 + 4 + 4); /* with protection and flags */
	if (w->is_short)
		return;
	if (!(r->misc & MMAP_BUILD_ID)) {
		cursor_take(&file, 8); /* major and minor number of the device */
		out->inode = cursor_take(&file, 8);
		return;
	}
	out->build_id_size =
		min_u64(cursor_take(&file, 4) & 0xff, RECORDED_BUILD_ID_MAX);
	memcpy(out->build_id, file.at, out->build_id_size);
}

int decode_map(const struct recorded *r, struct recorded_map *out, struct err *e)
{
	struct cursor w = words_of(r);

	if (r->type != PERF_RECORD_MMAP && r->type != PERF_RECORD_MMAP2)
		return 0;
	*out = (struct recorded_map){.pid = (uint32_t)cursor_take(&w, 4)};
	cursor_take(&w, 4);
	out->address = cursor_take(&w, 8);
	out->size = cursor_take(&w, 8);
	out->offset = cursor_take(&w, 8);
	if (r->type == PERF_RECORD_MMAP2)
		take_file(r, &w, out);
	out->path = (const char *)w.at;
	if (w.is_short || !memchr(w.at, '\0', w.n))
		return data_file_bad(r->offset, "a record of a mapping is cut", e);
	return 1;
}
