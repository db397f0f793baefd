/* SPDX-License-Identifier: MIT */
/*
 * strtok(): where the next call goes on is kept in the firing, as an address and
 * the bytes of the first call's string that are left.
 */
#include "vm/subr/text.h"

static bool is_delimiter(const struct text *delims, char c)
{
	for (uint32_t i = 0; i < delims->len; i++)
		if (delims->s[i] == c)
			return true;
	return false;
}

/* What is left of the string: the argument's, or the last call's. */
static enum fault take_rest(struct firing *f, uint64_t addr, struct text *s)
{
	uint32_t most = f->strsize;
	enum fault fault;

	if (!addr) {
		addr = f->token_at;
		most = f->token_left;
	}
	fault = text_take(f, addr, s);
	if (fault == FAULT_NONE) {
		s->len = (uint32_t)min_u64(s->len, most);
		f->token_at = addr;
	}
	return fault;
}

enum fault subr_strtok(struct firing *f, const uint64_t *args, unsigned n,
		       uint64_t *out)
{
	uint32_t begin = 0, end;
	struct text s, delims;
	enum fault fault = text_take(f, args[1], &delims);

	(void)n;
	if (fault == FAULT_NONE)
		fault = take_rest(f, args[0], &s);
	if (fault != FAULT_NONE)
		return fault;
	while (begin < s.len && is_delimiter(&delims, s.s[begin]))
		begin++;
	if (begin == s.len) { /* the end: NULL, and nothing to go on from */
		f->token_at = 0;
		return FAULT_NONE;
	}
	end = begin;
	while (end < s.len && !is_delimiter(&delims, s.s[end]))
		end++;
	/* The next call begins with the delimiter, which may not be one of its own. */
	f->token_left = s.len - end;
	f->token_at += end;
	return text_return(f, s.s + begin, end - begin, out);
}
