/* SPDX-License-Identifier: MIT */
/* Setting and clearing breakpoint bytes. */
#include "tracer/keeper/space/bpt.h"
#include "tracer/keeper/space/text_write.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>

/* What text_write() works on. */
struct job {
	const struct bpt_write *w;
	const struct bpt_list *list;
};

static const struct insn *insn_of(const struct job *j, size_t i)
{
	return &j->w->table->sites.data[j->list->data[i]].in;
}

static struct text_span span(const void *ctx, size_t i)
{
	return (struct text_span){insn_of(ctx, i)->addr, 1};
}

static enum text_result change(void *ctx, size_t i, uint8_t *byte)
{
	const struct job *j = ctx;
	uint8_t original = insn_of(j, i)->bytes[0];
	uint8_t from = j->w->is_set ? original : BPT_BYTE;
	uint8_t to = j->w->is_set ? BPT_BYTE : original;

	if (*byte != from)
		return *byte == to ? TEXT_PRESENT : TEXT_FOREIGN;
	*byte = to;
	return TEXT_CHANGED;
}

void bpt_write(const struct bpt_write *w, const struct bpt_list *list)
{
	struct job j = {w, list};
	const struct text_write t = {.mem = w->mem,
				     .maps = w->maps,
				     .n = list->len,
				     .ctx = &j,
				     .span = span,
				     .change = change};
	uint8_t *results = oom_calloc(list->len + 1, 1);

	text_write(&t, results);
	for (size_t i = 0; i < list->len; i++)
		if (results[i] == TEXT_FAILED || results[i] == TEXT_FOREIGN)
			w->failed(w->ctx, list->data[i]);
	free(results);
}
