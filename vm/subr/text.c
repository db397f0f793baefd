/* SPDX-License-Identifier: MIT */
#include "vm/subr/text.h"
#include "vm/base/bytes.h"

enum fault text_take(struct firing *f, uint64_t addr, struct text *t)
{
	if (!addr)
		return firing_bad_address(f, 0);
	return memory_string(f, addr, &t->s, &t->len);
}

enum fault text_begin(struct firing *f, uint64_t most, struct text_new *t)
{
	uint32_t cap = (uint32_t)min_u64(most, f->strsize - 1);

	if (!scratch_take(f, (uint64_t)cap + 1, &t->at))
		return FAULT_NOSCRATCH;
	t->s = (char *)f->slot->scratch + t->at;
	t->len = 0;
	t->cap = cap;
	return FAULT_NONE;
}

void text_append(struct text_new *t, const char *s, uint64_t n)
{
	n = min_u64(n, t->cap - t->len);
	bytes_copy(t->s + t->len, s, n);
	t->len += (uint32_t)n;
}

uint64_t text_end(struct firing *f, const struct text_new *t)
{
	t->s[t->len] = '\0';
	f->scratch_used = t->at + t->len + 1;
	return VM_ADDR_SCRATCH + t->at;
}

enum fault text_return(struct firing *f, const char *s, uint64_t n, uint64_t *out)
{
	struct text_new t;
	enum fault fault = text_begin(f, n, &t);

	if (fault != FAULT_NONE)
		return fault;
	text_append(&t, s, n);
	*out = text_end(f, &t);
	return FAULT_NONE;
}
