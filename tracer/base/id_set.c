/* SPDX-License-Identifier: MIT */
#include "tracer/base/id_set.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>

#define WORD_BITS 64

void id_set_release(struct id_set *s)
{
	vec_release(&s->words);
	s->len = 0;
}

bool id_set_has(const struct id_set *s, uint32_t id)
{
	size_t word = id / WORD_BITS;

	return word < s->words.len && s->words.data[word] >> id % WORD_BITS & 1;
}

bool id_set_add(struct id_set *s, uint32_t id)
{
	size_t word = id / WORD_BITS;

	if (id_set_has(s, id))
		return false;
	while (s->words.len <= word)
		*vec_push(&s->words) = 0;
	s->words.data[word] |= UINT64_C(1) << id % WORD_BITS;
	s->len++;
	return true;
}
