/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/text_patch.h"
#include "tracer/keeper/space/text_write.h"
#include "vm/base/host/oom.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(HOOK_COVERED_MAX <= TEXT_SPAN_MAX, "a patch is a span");

static int by_address(const void *a, const void *b)
{
	const struct text_patch *x = a, *y = b;

	return (x->at.v > y->at.v) - (x->at.v < y->at.v);
}

static struct text_span span(const void *ctx, size_t i)
{
	const struct text_patch *p = &((const struct text_patches *)ctx)->data[i];

	return (struct text_span){p->at, p->n};
}

static enum text_result exchange(void *ctx, size_t i, uint8_t *bytes)
{
	const struct text_patch *p = &((struct text_patches *)ctx)->data[i];

	if (memcmp(bytes, p->from, p->n) != 0)
		return memcmp(bytes, p->to, p->n) == 0 ? TEXT_PRESENT : TEXT_FOREIGN;
	memcpy(bytes, p->to, p->n);
	return TEXT_CHANGED;
}

void text_patches_write(struct text_patches *list, int mem)
{
	const struct text_write w = {.mem = mem,
				     .n = list->len,
				     .ctx = list,
				     .span = span,
				     .change = exchange};
	uint8_t *results;

	if (!list->len)
		return;
	qsort(list->data, list->len, sizeof(*list->data), by_address);
	results = oom_calloc(list->len, 1);
	text_write(&w, results);
	for (size_t i = 0; i < list->len; i++)
		list->data[i].is_done = results[i] == TEXT_CHANGED;
	free(results);
}
