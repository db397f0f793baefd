/* SPDX-License-Identifier: MIT */
/* Setting and clearing breakpoint bytes. */
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/space/bpt.h"
#include "tracer/keeper/space/text_write.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

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

/* ---- code that is filled with int3 ---- */

enum filled { NOT_FILLED, FILLED, AS_BEFORE };

/* From the last site to the first. */
struct filling {
	const struct bpt_write *w;
	struct mem_pages page;
	struct bpt_list ours; /* sites that are not in such code, descending */
	taddr last;	      /* the site after this one */
	enum filled was;
	size_t nopen; /* at the end of ours: as what is before them */
};

/*
 * Whether the program has written int3 over the whole instruction, or over a short one
 * and what follows: then ours is one of them. Where int3 follows anyhow it is taken for
 * what the instruction before it is.
 */
static enum filled look_at(struct filling *f, const struct bpt_site *site)
{
	const struct insn *in = &site->in;
	const taddr end = taddr_add(in->addr, in->len);
	uint8_t now[INSN_MAX + 1];

	if (mem_pages_read(&f->page, in->addr, now, in->len + 1u))
		return NOT_FILLED;
	for (uint8_t i = 0; i <= in->len; i++)
		if (now[i] != BPT_BYTE && (i < in->len || in->len <= 2))
			return NOT_FILLED;
	if (in->len > 2)
		return FILLED;
	if (end.v == f->last.v)
		return f->was;
	if (bpt_find(f->w->table, end) || !site->after)
		return NOT_FILLED;
	return site->after == BPT_BYTE ? AS_BEFORE : FILLED;
}

static void add_site(struct filling *f, uint32_t number)
{
	const struct bpt_site *site = &f->w->table->sites.data[number];
	const bool is_next = site->in.addr.v + site->in.len == f->last.v;
	enum filled is = look_at(f, site);

	if (!is_next)
		f->nopen = 0;
	if (is == FILLED)
		f->ours.len -= f->nopen;
	f->nopen = is == AS_BEFORE ? f->nopen + 1 : 0;
	f->last = site->in.addr;
	f->was = is;
	if (is != FILLED)
		*vec_push(&f->ours) = number;
}

static void turn_round(struct bpt_list *list)
{
	for (size_t i = 0; i < list->len / 2; i++) {
		uint32_t other = list->data[list->len - 1 - i];

		list->data[list->len - 1 - i] = list->data[i];
		list->data[i] = other;
	}
}

/* The sites of the list that are not in such code. */
static struct bpt_list not_filled(const struct bpt_write *w,
				  const struct bpt_list *list)
{
	struct filling *f = oom_calloc(1, sizeof(*f)); /* it has a page */
	struct bpt_list ours;

	f->w = w;
	f->page.fd = w->mem;
	f->page.maps = w->maps;
	for (size_t i = list->len; i-- > 0;)
		add_site(f, list->data[i]);
	ours = f->ours;
	free(f);
	turn_round(&ours);
	return ours;
}

void bpt_write(const struct bpt_write *w, const struct bpt_list *list)
{
	struct bpt_list ours = w->is_set ? *list : not_filled(w, list);
	struct job j = {w, &ours};
	const struct text_write t = {.mem = w->mem,
				     .maps = w->maps,
				     .n = ours.len,
				     .ctx = &j,
				     .span = span,
				     .change = change};
	uint8_t *results = oom_calloc(ours.len + 1, 1);

	text_write(&t, results);
	for (size_t i = 0; i < ours.len; i++)
		if (results[i] == TEXT_FAILED || results[i] == TEXT_FOREIGN)
			w->failed(w->ctx, ours.data[i]);
	free(results);
	if (!w->is_set)
		vec_release(&ours);
}
