/* SPDX-License-Identifier: MIT */
#include "tracer/recording/read/reader.h"
#include "tracer/recording/read/unpack.h"
#include "vm/base/bytes.h"
#include "vm/base/host/oom.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW	  (1 << 20)
#define TAKEN_MAX (UINT64_C(256) << 20) /* bytes that may follow a record */

struct reader {
	const struct data_file *file;
	uint64_t at, end; /* of the next record; of all */
	uint64_t unpacked_at;
	struct unpacker *unpacker; /* NULL: nothing was compressed yet */
	uint64_t window_at;
	size_t window_n;
	unsigned char window[WINDOW];
};

struct reader *reader_new(const struct data_file *f, uint64_t offset, uint64_t end)
{
	struct reader *r = oom_calloc(1, sizeof(*r));

	r->file = f;
	r->at = offset;
	r->end = end;
	return r;
}

void reader_free(struct reader *r)
{
	if (!r)
		return;
	unpacker_free(r->unpacker);
	free(r);
}

/* n bytes at r->at, which are before the end; n: at most 65536. */
static int get_bytes(struct reader *r, size_t n, const unsigned char **bytes,
		     struct err *e)
{
	uint64_t from = r->at - r->window_at;
	int64_t got;

	if (r->at < r->window_at || from > r->window_n || r->window_n - from < n) {
		got = data_file_read_some(r->file, r->at, r->window,
					  min_u64(WINDOW, r->end - r->at), e);
		if (got < 0)
			return (int)got;
		r->window_at = r->at;
		r->window_n = (size_t)got;
		from = 0;
	}
	if (r->window_n - from < n)
		return data_file_bad(r->at, "the file ends within a record", e);
	*bytes = r->window + from;
	return 0;
}

static void set_header(struct recorded *out, const unsigned char *bytes)
{
	out->bytes = bytes;
	out->type = (uint32_t)bytes_load(bytes, 4);
	out->misc = (uint16_t)bytes_load(bytes + 4, 2);
	out->size = (uint16_t)bytes_load(bytes + 6, 2);
}

static int check_size(const struct recorded *r, struct err *e)
{
	char text[96];

	if (r->size >= RECORDED_HEADER)
		return 0;
	snprintf(text, sizeof(text), "a record of type %" PRIu32 " with %u bytes",
		 r->type, r->size);
	return data_file_bad(r->offset, text, e);
}

static int next_in_file(struct reader *r, struct recorded *out, struct err *e)
{
	const unsigned char *bytes;
	int rc;

	if (r->at >= r->end)
		return 0;
	out->offset = r->at;
	if (r->end - r->at < RECORDED_HEADER)
		return data_file_bad(r->at, "the file ends within a record", e);
	rc = get_bytes(r, RECORDED_HEADER, &bytes, e);
	if (rc)
		return rc;
	set_header(out, bytes);
	rc = check_size(out, e);
	if (rc == 0 && out->size > r->end - r->at)
		rc = data_file_bad(r->at, "the file ends within a record", e);
	if (rc == 0)
		rc = get_bytes(r, out->size, &out->bytes, e);
	if (rc)
		return rc;
	r->at += out->size;
	return 1;
}

static int name_offset(const struct reader *r, struct err *e)
{
	err_context(e, "at offset %" PRIu64, r->unpacked_at);
	return e->status;
}

static int next_unpacked(struct reader *r, struct recorded *out, struct err *e)
{
	const unsigned char *bytes;
	int rc = unpacker_peek(r->unpacker, RECORDED_HEADER, &bytes, e);

	if (rc < 0)
		return name_offset(r, e);
	if (rc == 0)
		return 0;
	out->offset = r->unpacked_at;
	set_header(out, bytes);
	rc = check_size(out, e);
	if (rc)
		return rc;
	if (out->type == RECORD_COMPRESSED)
		return data_file_bad(r->unpacked_at,
				     "a compressed record within another", e);
	rc = unpacker_peek(r->unpacker, out->size, &out->bytes, e);
	if (rc < 0)
		return name_offset(r, e);
	if (rc)
		unpacker_take(r->unpacker, out->size);
	return rc;
}

int reader_next(struct reader *r, struct recorded *out, struct err *e)
{
	int rc = r->unpacker ? next_unpacked(r, out, e) : 0;

	while (rc == 0) {
		rc = next_in_file(r, out, e);
		if (rc <= 0 || out->type != RECORD_COMPRESSED)
			return rc;
		if (!r->unpacker)
			r->unpacker = unpacker_new();
		r->unpacked_at = out->offset;
		unpacker_feed(r->unpacker, out->bytes + RECORDED_HEADER,
			      out->size - RECORDED_HEADER);
		rc = next_unpacked(r, out, e);
	}
	return rc;
}

int reader_take(struct reader *r, uint64_t n, struct strbuf *out, struct err *e)
{
	const unsigned char *bytes = NULL;

	if (n > r->end - r->at || n > r->file->size)
		return data_file_bad(r->at, "the file ends within a record", e);
	if (out && n > TAKEN_MAX)
		return data_file_bad(r->at, "more bytes than a record may have", e);
	while (out && n > 0) {
		size_t part = min_u64(n, 65536);
		int rc = get_bytes(r, part, &bytes, e);

		if (rc)
			return rc;
		strbuf_add(out, bytes, part);
		r->at += part;
		n -= part;
	}
	r->at += n;
	return 0;
}
