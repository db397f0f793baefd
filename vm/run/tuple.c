/* SPDX-License-Identifier: MIT */
#include "vm/tuple.h"
#include "vm/base/bytes.h"
#include "vm/base/status.h"
#include "vm/run/firing.h"

enum fault tuple_push_int(struct firing *f, uint64_t value, unsigned size)
{
	if (TUPLE_BYTES - f->tuple_end < 8)
		return FAULT_TUPOFLOW;
	bytes_store(f->slot->tuple + f->tuple_end,
		    value & (UINT64_MAX >> (64 - 8 * size)), 8);
	f->tuple_end += 8;
	return FAULT_NONE;
}

uint32_t tuple_put(unsigned char *to, const void *bytes, uint32_t n)
{
	uint32_t total = (uint32_t)align_up(n + 4, 8);

	bytes_store(to + total - 8, 0, 8);
	bytes_store(to, n, 4);
	bytes_copy(to + 4, bytes, n);
	return total;
}

static enum fault push_counted(struct firing *f, const void *bytes, uint32_t n)
{
	uint32_t left = TUPLE_BYTES - f->tuple_end;

	if (n > left || align_up((uint64_t)n + 4, 8) > left)
		return FAULT_TUPOFLOW;
	f->tuple_end += tuple_put(f->slot->tuple + f->tuple_end, bytes, n);
	return FAULT_NONE;
}

enum fault tuple_push_string(struct firing *f, uint64_t addr)
{
	const char *text;
	uint32_t len;
	enum fault fault;

	if (!addr)
		return firing_bad_address(f, 0);
	fault = memory_string(f, addr, &text, &len);
	return fault == FAULT_NONE ? push_counted(f, text, len) : fault;
}

enum fault tuple_push_bytes(struct firing *f, uint64_t addr, uint32_t n)
{
	const unsigned char *bytes;
	enum fault fault = memory_bytes(f, addr, n, &bytes);

	return fault == FAULT_NONE ? push_counted(f, bytes, n) : fault;
}

static int next_int(const unsigned char *p, size_t left,
		    const struct program_field *field, struct tuple_value *out)
{
	unsigned shift;

	if (left < 8 || field->size == 0 || field->size > 8)
		return STATUS_BADFMT;
	shift = 64 - 8 * field->size;
	out->number = bytes_load(p, 8) << shift;
	if (field->is_signed)
		out->number = (uint64_t)((int64_t)out->number >> shift);
	else
		out->number >>= shift;
	return 0;
}

int tuple_next(const void *data, size_t n, size_t *pos,
	       const struct program_field *field, struct tuple_value *out)
{
	const unsigned char *p = (const unsigned char *)data + *pos;
	size_t left = n - *pos;
	uint64_t len;

	*out = (struct tuple_value){.field = field};
	if (*pos > n)
		return STATUS_BADFMT;
	if (field->kind == KIND_INT) {
		*pos += 8;
		return next_int(p, left, field, out);
	}
	if (left < 8)
		return STATUS_BADFMT;
	len = bytes_load(p, 4);
	if (align_up(len + 4, 8) > left ||
	    (field->kind == KIND_BYTES && len != field->size))
		return STATUS_BADFMT;
	out->bytes = (const char *)p + 4;
	out->len = (uint32_t)len;
	*pos += align_up(len + 4, 8);
	return 0;
}
