/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/places.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

#define PAGE	4096
#define OF_PAGE (PAGE / GRANULE)

_Static_assert(OF_PAGE == 64, "a word has a bit for each");

/* One address. */
struct place {
	uint16_t at; /* in the page */
	uint32_t number;
};

struct places_page {
	uint64_t bits;
	struct {
		struct place *data; /* ascending */
		size_t len, cap;
	} places;
};

void places_release(struct places *p)
{
	for (size_t i = 0; i < p->list.len; i++)
		vec_release(&p->list.data[i].places);
	vec_release(&p->list);
	map_release(&p->pages);
	p->len = 0;
}

static struct places_page *page_of(const struct places *p, uint64_t at)
{
	uint64_t i;

	return map_get(&p->pages, at / PAGE, &i) ? &p->list.data[i] : NULL;
}

static struct places_page *make_page(struct places *p, uint64_t at)
{
	struct places_page *page = page_of(p, at);

	if (page)
		return page;
	map_set(&p->pages, at / PAGE, p->list.len);
	page = vec_push(&p->list);
	*page = (struct places_page){0};
	return page;
}

/* How many of the page's places are before this one. Most come at the end. */
static size_t count_before(const struct places_page *page, uint64_t at)
{
	const struct place *all = page->places.data;
	size_t lo = 0, hi = page->places.len;

	if (hi && all[hi - 1].at < at)
		return hi;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (all[mid].at < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The place, or NULL. */
static struct place *find(const struct places_page *page, uint64_t at)
{
	size_t i = page ? count_before(page, at % PAGE) : 0;

	return page && i < page->places.len && page->places.data[i].at == at % PAGE
		       ? &page->places.data[i]
		       : NULL;
}

void places_set(struct places *p, taddr at, uint32_t number)
{
	struct places_page *page = make_page(p, at.v);
	struct place *place = find(page, at.v);
	size_t i;

	page->bits |= UINT64_C(1) << at.v / GRANULE % OF_PAGE;
	if (place) {
		place->number = number;
		return;
	}
	i = count_before(page, at.v % PAGE);
	vec_push(&page->places);
	place = &page->places.data[i];
	memmove(place + 1, place, (page->places.len - 1 - i) * sizeof(*place));
	*place = (struct place){(uint16_t)(at.v % PAGE), number};
	p->len++;
}

bool places_get(const struct places *p, taddr at, uint32_t *number)
{
	const struct place *place = p->len ? find(page_of(p, at.v), at.v) : NULL;

	if (place)
		*number = place->number;
	return place != NULL;
}

/* Of [lo, end) of one page. */
static bool last_of_page(const struct places *p, uint64_t lo, uint64_t end,
			 uint32_t *number)
{
	const struct places_page *page = page_of(p, lo);
	size_t i = page ? count_before(page, lo % PAGE + (end - lo)) : 0;

	if (!i || page->places.data[i - 1].at < lo % PAGE)
		return false;
	*number = page->places.data[i - 1].number;
	return true;
}

bool places_last(const struct places *p, taddr lo, taddr hi, uint32_t *number)
{
	const uint64_t last_page = align_down(hi.v - 1, PAGE);

	if (!p->len || lo.v == hi.v)
		return false;
	if (align_down(lo.v, PAGE) == last_page)
		return last_of_page(p, lo.v, hi.v, number);
	return last_of_page(p, last_page, hi.v, number) ||
	       last_of_page(p, lo.v, last_page, number);
}

void places_remove(struct places *p, taddr at)
{
	struct places_page *page = page_of(p, at.v);
	struct place *place = find(page, at.v);

	if (!place)
		return;
	page->places.len--;
	p->len--;
	memmove(place, place + 1,
		(page->places.len - (size_t)(place - page->places.data)) *
			sizeof(*place));
}

bool places_may_have(const struct places *p, taddr lo, taddr hi)
{
	const struct places_page *page = NULL;
	bool is_known = false;

	for (uint64_t at = align_down(lo.v, GRANULE), n = hi.v - at; hi.v - at - 1 < n;
	     at += GRANULE) {
		if (!is_known || at % PAGE == 0) {
			page = page_of(p, at);
			is_known = true;
		}
		if (page && page->bits >> at / GRANULE % OF_PAGE & 1)
			return true;
	}
	return false;
}
