/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/journal.h"
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

void journal_keep(struct journal *j, enum journal_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < j->len; i++)
		if (j->data[i].kind == kind)
			j->data[n++] = j->data[i];
	j->len = n;
}

void journal_release(struct journal *j)
{
	vec_release(j);
}
