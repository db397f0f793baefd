/* SPDX-License-Identifier: MIT */
#include "tracer/base/placed_sites.h"
#include "vm/base/host/vec.h"

#include <string.h>

#define PAGE   4096
#define CHAINS 32 /* of one page */

/* The sites of one page, in chains by their offset. */
struct placed_page {
	uint64_t number;
	uint32_t heads[CHAINS]; /* 1 + index of a site; 0: the chain is empty */
};

static void release_pages(struct placed_sites *p)
{
	free(p->pages);
	p->pages = NULL;
	p->npages = p->cap_pages = p->last = 0;
	map_release(&p->by_page);
}

void placed_sites_release(struct placed_sites *p)
{
	release_pages(p);
	vec_release(p);
	p->nforgotten = 0;
}

static unsigned chain_of(uint64_t addr)
{
	return (unsigned)(addr % PAGE / (PAGE / CHAINS));
}

/* NULL: no site is there. */
static struct placed_page *find_page(const struct placed_sites *p, uint64_t addr)
{
	uint64_t i;

	/* mostly that of the site before */
	if (p->npages && p->pages[p->last].number == addr / PAGE)
		return &p->pages[p->last];
	return map_get(&p->by_page, addr / PAGE, &i) ? &p->pages[i] : NULL;
}

static struct placed_page *add_page(struct placed_sites *p, uint64_t addr)
{
	struct placed_page *page;

	p->pages = vec_grow(p->pages, p->npages, &p->cap_pages, sizeof(*p->pages));
	map_set(&p->by_page, addr / PAGE, p->npages);
	page = &p->pages[p->npages++];
	*page = (struct placed_page){.number = addr / PAGE};
	return page;
}

static void add(struct placed_sites *p, struct placed_page *page, uint64_t addr,
		uint32_t probe)
{
	uint32_t *head = &page->heads[chain_of(addr)];

	*vec_push(p) = (struct placed_site){addr, probe, *head};
	*head = (uint32_t)p->len;
}

bool placed_sites_add(struct placed_sites *p, uint64_t addr, uint32_t probe)
{
	struct placed_page *page = find_page(p, addr);

	if (!page)
		page = add_page(p, addr);
	p->last = (size_t)(page - p->pages);
	for (uint32_t i = page->heads[chain_of(addr)]; i; i = p->data[i - 1].next)
		if (p->data[i - 1].addr == addr && p->data[i - 1].probe == probe)
			return false;
	add(p, page, addr, probe);
	return true;
}

size_t placed_sites_at(const struct placed_sites *p, uint64_t addr)
{
	const struct placed_page *page = find_page(p, addr);
	size_t n = 0;

	for (uint32_t i = page ? page->heads[chain_of(addr)] : 0; i;
	     i = p->data[i - 1].next)
		n += p->data[i - 1].addr == addr;
	return n;
}

/* Takes out what was forgotten. */
static void compact(struct placed_sites *p)
{
	size_t n = p->len;

	release_pages(p);
	p->len = p->nforgotten = 0;
	for (size_t i = 0; i < n; i++)
		if (p->data[i].addr)
			placed_sites_add(p, p->data[i].addr, p->data[i].probe);
}

void placed_sites_forget(struct placed_sites *p, uint64_t lo, uint64_t hi)
{
	for (size_t i = 0; i < p->len; i++) {
		if (!p->data[i].addr || p->data[i].addr < lo || p->data[i].addr >= hi)
			continue;
		p->data[i].addr = 0;
		p->nforgotten++;
	}
	if (p->nforgotten > p->len / 2)
		compact(p);
}
