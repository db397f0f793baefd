/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/detour_text.h"
#include "tracer/keeper/space/text_write.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/sort.h"
#include "vm/base/host/vec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(HOOK_COVERED_MAX <= TEXT_SPAN_MAX, "a place is a span");

/* One exchange. */
struct exchange {
	const struct detours *detours;
	const struct detour_texts *list;
	bool is_undo;
};

void detour_texts_add(const struct detour *detour, struct detour_texts *list)
{
	struct detour_place places[DETOUR_PLACES_MAX];
	size_t n = detours_places(detour, places);

	for (size_t i = 0; i < n; i++)
		*vec_push(list) = (struct detour_text){.at = places[i].at.v,
						       .number = detour->number,
						       .n = (uint8_t)places[i].n,
						       .is_island = i > 0};
}

struct detour_place detour_texts_place(const struct detours *d,
				       const struct detour_text *t)
{
	const struct detour *detour = &d->list.data[t->number];
	const struct hook_plan *plan = &detour->plan;

	return (struct detour_place){
		taddr_of(t->at), t->is_island ? plan->island.original : plan->original,
		t->is_island ? detour->island : detour->patch, t->n};
}

static struct text_span span(const void *ctx, size_t i)
{
	const struct detour_text *t = &((const struct exchange *)ctx)->list->data[i];

	return (struct text_span){taddr_of(t->at), t->n};
}

static enum text_result change(void *ctx, size_t i, uint8_t *bytes)
{
	const struct exchange *x = ctx;
	const struct detour_place p = detour_texts_place(x->detours, &x->list->data[i]);
	const uint8_t *from = x->is_undo ? p.ours : p.own;
	const uint8_t *to = x->is_undo ? p.own : p.ours;

	if (memcmp(bytes, from, p.n) != 0)
		return memcmp(bytes, to, p.n) == 0 ? TEXT_PRESENT : TEXT_FOREIGN;
	memcpy(bytes, to, p.n);
	return TEXT_CHANGED;
}

/*
 * Detours come in order, and so do their islands, nearly; as one list, where each island
 * follows its detour, they would take long to sort.
 */
static void islands_last(struct detour_texts *list)
{
	struct detour_texts islands = {0};
	size_t n = 0;

	for (size_t i = 0; i < list->len; i++)
		if (list->data[i].is_island)
			*vec_push(&islands) = list->data[i];
		else
			list->data[n++] = list->data[i];
	for (size_t i = 0; i < islands.len; i++)
		list->data[n++] = islands.data[i];
	vec_release(&islands);
}

bool detour_texts_write(const struct detours *d, struct detour_texts *list,
			bool is_undo, int mem)
{
	struct exchange x = {d, list, is_undo};
	const struct text_write w = {
		.mem = mem, .n = list->len, .ctx = &x, .span = span, .change = change};
	uint8_t *results = oom_calloc(list->len + 1, 1);
	bool is_complete = true;

	islands_last(list);
	sort_runs(list->data, list->len, sizeof(*list->data));
	text_write(&w, results);
	for (size_t i = 0; i < list->len; i++) {
		list->data[i].is_done = results[i] == TEXT_CHANGED;
		is_complete &= results[i] != TEXT_FAILED;
	}
	free(results);
	return is_complete;
}

void detour_texts_restore(const struct detours *d, int mem)
{
	struct detour_texts list = {0};

	for (size_t i = 0; i < d->list.len; i++)
		if (d->list.data[i].is_on)
			detour_texts_add(&d->list.data[i], &list);
	if (!detour_texts_write(d, &list, true, mem))
		/* Once more: what was restored is left alone. */
		detour_texts_write(d, &list, true, mem);
	vec_release(&list);
}
