/* SPDX-License-Identifier: MIT */
/*
 * Strings: lengths, parts, searches. What is found in a string is returned as an
 * address inside it; only what is not a tail becomes a new string.
 */
#include "vm/base/bytes.h"
#include "vm/subr/text.h"

enum fault subr_strlen(struct firing *f, const uint64_t *args, unsigned n,
		       uint64_t *out)
{
	struct text s;
	enum fault fault = text_take(f, args[0], &s);

	(void)n;
	if (fault == FAULT_NONE)
		*out = s.len;
	return fault;
}

/* Two strings, of which either may be bad. */
static enum fault take_both(struct firing *f, const uint64_t *args, struct text *a,
			    struct text *b)
{
	enum fault fault = text_take(f, args[0], a);

	return fault == FAULT_NONE ? text_take(f, args[1], b) : fault;
}

/* A result that does not fit is out of scratch space, not cut. */
enum fault subr_strjoin(struct firing *f, const uint64_t *args, unsigned n,
			uint64_t *out)
{
	struct text a, b;
	struct text_new t;
	enum fault fault = take_both(f, args, &a, &b);

	(void)n;
	if (fault != FAULT_NONE)
		return fault;
	if ((uint64_t)a.len + b.len >= f->strsize)
		return FAULT_NOSCRATCH;
	fault = text_begin(f, (uint64_t)a.len + b.len, &t);
	if (fault != FAULT_NONE)
		return fault;
	text_append(&t, a.s, a.len);
	text_append(&t, b.s, b.len);
	*out = text_end(f, &t);
	return FAULT_NONE;
}

/* ---- substr ---- */

struct span {
	int64_t from, n;
};

/* The part of len characters: a from below 0 counts from the end, an n from the rest. */
static struct span part_of(int64_t len, int64_t from, int64_t n)
{
	if (from < 0) {
		from += len;
		if (from < 0 && from + n > 0) {
			n += from;
			from = 0;
		}
	}
	if (from < 0 || from >= len)
		return (struct span){0, 0};
	if (n < 0)
		n += len - from;
	if (n < 0)
		n = 0;
	return (struct span){from, n < len - from ? n : len - from};
}

enum fault subr_substr(struct firing *f, const uint64_t *args, unsigned n,
		       uint64_t *out)
{
	/* Without a length strsize limits it, also where it begins before the string. */
	int64_t most = n > 2 ? (int32_t)args[2] : (int64_t)f->strsize;
	struct span part;
	struct text s;
	enum fault fault = text_take(f, args[0], &s);

	if (fault != FAULT_NONE)
		return fault;
	part = part_of(s.len, (int32_t)args[1], most);
	return text_return(f, s.s + part.from, (uint64_t)part.n, out);
}

/* ---- one character ---- */

static enum fault find_char(struct firing *f, const uint64_t *args, bool is_last,
			    uint64_t *out)
{
	char c = (char)args[1];
	const unsigned char *bytes;
	uint64_t avail;
	struct text s;
	enum fault fault = text_take(f, args[0], &s);

	if (fault == FAULT_NONE)
		fault = memory_at(f, args[0], &bytes, &avail);
	if (fault != FAULT_NONE)
		return fault;
	/* The terminator is found as well, where it is within strsize bytes. */
	if (c == '\0' && s.len < avail && s.len < f->strsize)
		*out = args[0] + s.len;
	for (uint32_t i = 0; i < s.len && c != '\0'; i++) {
		if (s.s[i] != c)
			continue;
		*out = args[0] + i;
		if (!is_last)
			break;
	}
	return FAULT_NONE;
}

enum fault subr_strchr(struct firing *f, const uint64_t *args, unsigned n,
		       uint64_t *out)
{
	(void)n;
	return find_char(f, args, false, out);
}

enum fault subr_strrchr(struct firing *f, const uint64_t *args, unsigned n,
			uint64_t *out)
{
	(void)n;
	return find_char(f, args, true, out);
}

/* ---- one string in another ---- */

static bool is_at(const struct text *s, const struct text *sub, int64_t i)
{
	return bytes_compare(s->s + i, sub->s, sub->len) == 0;
}

/* The first position from from on, or -1. */
static int64_t find_forward(const struct text *s, const struct text *sub, int64_t from)
{
	int64_t last = (int64_t)s->len - sub->len;

	for (int64_t i = from; i <= last; i++)
		if (is_at(s, sub, i))
			return i;
	return -1;
}

/* The last position up to from, or -1. */
static int64_t find_backward(const struct text *s, const struct text *sub, int64_t from)
{
	int64_t last = (int64_t)s->len - sub->len;

	for (int64_t i = from < last ? from : last; i >= 0; i--)
		if (is_at(s, sub, i))
			return i;
	return -1;
}

enum fault subr_strstr(struct firing *f, const uint64_t *args, unsigned n,
		       uint64_t *out)
{
	struct text s, sub;
	enum fault fault = take_both(f, args, &s, &sub);
	int64_t at;

	(void)n;
	if (fault != FAULT_NONE)
		return fault;
	at = find_forward(&s, &sub, 0);
	if (at >= 0)
		*out = args[0] + (uint64_t)at;
	return FAULT_NONE;
}

/* Positions outside the string count as its ends, for an empty sub: as in Perl. */
enum fault subr_index(struct firing *f, const uint64_t *args, unsigned n, uint64_t *out)
{
	int64_t from = n > 2 ? (int32_t)args[2] : 0, at;
	struct text s, sub;
	enum fault fault = take_both(f, args, &s, &sub);

	if (fault != FAULT_NONE)
		return fault;
	if (from < 0)
		from = 0;
	if (from >= (int64_t)s.len)
		at = sub.len == 0 ? (int64_t)s.len : -1;
	else
		at = find_forward(&s, &sub, from);
	*out = (uint64_t)at;
	return FAULT_NONE;
}

enum fault subr_rindex(struct firing *f, const uint64_t *args, unsigned n,
		       uint64_t *out)
{
	int64_t from = n > 2 ? (int32_t)args[2] : INT32_MAX, at;
	struct text s, sub;
	enum fault fault = take_both(f, args, &s, &sub);

	if (fault != FAULT_NONE)
		return fault;
	if (from < 0)
		at = sub.len == 0 ? 0 : -1;
	else
		at = find_backward(&s, &sub, from);
	*out = (uint64_t)at;
	return FAULT_NONE;
}

/* ---- case ---- */

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static enum fault change_case(struct firing *f, uint64_t addr, bool to_upper,
			      uint64_t *out)
{
	struct text s;
	struct text_new t;
	enum fault fault = text_take(f, addr, &s);

	if (fault == FAULT_NONE)
		fault = text_begin(f, s.len, &t);
	if (fault != FAULT_NONE)
		return fault;
	for (uint32_t i = 0; i < s.len; i++) {
		char c = to_upper ? upper(s.s[i]) : lower(s.s[i]);

		text_append(&t, &c, 1);
	}
	*out = text_end(f, &t);
	return FAULT_NONE;
}

enum fault subr_toupper(struct firing *f, const uint64_t *args, unsigned n,
			uint64_t *out)
{
	(void)n;
	return change_case(f, args[0], true, out);
}

enum fault subr_tolower(struct firing *f, const uint64_t *args, unsigned n,
			uint64_t *out)
{
	(void)n;
	return change_case(f, args[0], false, out);
}
