/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/journal.h"
#include "vm/base/host/vec.h"

void journal_add(struct journal *j, enum journal_kind kind, uint64_t a, uint64_t b)
{
	*vec_push(j) = (struct journal_entry){kind, a, b};
}

bool journal_pop(struct journal *j, struct journal_entry *out)
{
	if (!j->len)
		return false;
	*out = j->data[--j->len];
	return true;
}

void journal_release(struct journal *j)
{
	vec_release(j);
}
