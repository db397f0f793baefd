/* SPDX-License-Identifier: MIT */
#include "symbols/dwarf/encoded.h"

#include <string.h>

static uint64_t left(const struct encoded *c)
{
	return (uint64_t)(c->end - c->p);
}

void encoded_skip(struct encoded *c, uint64_t n)
{
	n = min_u64(n, left(c));
	c->p += n;
	c->vaddr += n;
}

bool encoded_uleb(struct encoded *c, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; c->p < c->end; shift += 7) {
		uint8_t byte = *c->p;

		encoded_skip(c, 1);
		if (shift < 64)
			*out |= (uint64_t)(byte & 127) << shift;
		if (!(byte & 128))
			return true;
	}
	return false;
}

bool encoded_sleb(struct encoded *c, int64_t *out)
{
	uint64_t v = 0;

	for (unsigned shift = 0; c->p < c->end;) {
		uint8_t byte = *c->p;

		encoded_skip(c, 1);
		if (shift < 64)
			v |= (uint64_t)(byte & 127) << shift;
		shift += 7;
		if (byte & 128)
			continue;
		if (byte & 64 && shift < 64)
			v |= UINT64_MAX << shift;
		*out = (int64_t)v;
		return true;
	}
	return false;
}

static bool read_fixed(struct encoded *c, size_t size, bool is_signed, uint64_t *out)
{
	uint64_t v = 0;

	if (left(c) < size)
		return false;
	memcpy(&v, c->p, size);
	if (is_signed && size < 8 && v >> (size * 8 - 1))
		v |= UINT64_MAX << size * 8;
	encoded_skip(c, size);
	*out = v;
	return true;
}

bool encoded_value(struct encoded *c, uint8_t format, uint64_t *out)
{
	switch (format & 0x0f) {
	case ENCODED_ABSPTR:
	case ENCODED_UDATA8:
	case ENCODED_SDATA8:
		return read_fixed(c, 8, false, out);
	case ENCODED_UDATA4:
		return read_fixed(c, 4, false, out);
	case ENCODED_SDATA4:
		return read_fixed(c, 4, true, out);
	case ENCODED_UDATA2:
		return read_fixed(c, 2, false, out);
	case ENCODED_SDATA2:
		return read_fixed(c, 2, true, out);
	case ENCODED_ULEB128:
		return encoded_uleb(c, out);
	default:
		return false;
	}
}

bool encoded_address(struct encoded *c, uint8_t encoding, uint64_t *out)
{
	uint64_t at = c->vaddr;

	if (encoding == ENCODED_OMIT || !encoded_value(c, encoding, out))
		return false;
	switch (encoding & 0xf0) {
	case ENCODED_ABSPTR:
		return true;
	case ENCODED_PCREL:
		*out += at;
		return true;
	case ENCODED_DATAREL:
		*out += c->data_base;
		return c->data_base != 0;
	default: /* indirect, aligned: compilers never use them for code */
		return false;
	}
}
