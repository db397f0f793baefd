/* SPDX-License-Identifier: MIT */
/*
 * Chooses where chained jumps lead to. Heads are taken in their order: each fixes bytes
 * of the displacements of later ones. Pages that are mapped come first.
 */
#include "hook/chain.h"
#include "vm/base/bytes.h"

#define DISPLACEMENT 4
#define PAGE_BYTES   4096
#define ASKED_MAX    8192 /* new places that are asked for */
#define BRANCHES_MAX 64	  /* places in mapped pages that later heads are tried with */

struct choice {
	const struct hook_plan *plan;
	const struct hook_places *places;
	uint8_t *bytes;
	uint8_t ops[HOOK_HEADS_MAX];
	bool is_known[HOOK_PATCH_MAX];
	unsigned asked, branches; /* so far */
};

/* A head's displacement: the bits that are known. */
struct known {
	uint32_t mask, value;
};

static bool choose_from(struct choice *c, uint32_t head);

static struct known known_of(const struct choice *c, uint32_t head)
{
	const size_t at = c->ops[head] + 1U;
	struct known k = {0, (uint32_t)bytes_load(c->bytes + at, DISPLACEMENT)};

	for (unsigned i = 0; i < DISPLACEMENT; i++)
		k.mask |= c->is_known[at + i] ? UINT32_C(0xff) << 8 * i : 0;
	return k;
}

/* What is at the head's landing, if no head before it leads to the same bytes. */
static enum hook_place place_of(const struct choice *c, uint32_t head)
{
	uint64_t at = chain_landing(c->plan, c->bytes, c->ops[head]).v;

	for (uint32_t i = 0; i < head; i++) {
		uint64_t other = chain_landing(c->plan, c->bytes, c->ops[i]).v;

		if (other < at + HOOK_JUMP && at < other + HOOK_JUMP)
			return HOOK_PLACE_NONE;
	}
	return c->places->at(c->places->ctx, taddr_of(at));
}

/* With this displacement, if that leads to such a place, and the later heads find one. */
static bool try_displacement(struct choice *c, uint32_t head, uint32_t displacement,
			     enum hook_place wanted)
{
	const size_t at = c->ops[head] + 1U;
	bool was_known[DISPLACEMENT];
	bool is_done;

	for (unsigned i = 0; i < DISPLACEMENT; i++) {
		was_known[i] = c->is_known[at + i];
		if (!was_known[i])
			c->bytes[at + i] = (uint8_t)(displacement >> 8 * i);
	}
	if (place_of(c, head) != wanted)
		return false;
	for (unsigned i = 0; i < DISPLACEMENT; i++)
		c->is_known[at + i] = true;
	is_done = choose_from(c, head + 1);
	for (unsigned i = 0; i < DISPLACEMENT; i++)
		c->is_known[at + i] = was_known[i];
	return is_done;
}

/* The first displacement from d on with the known lower two bytes. */
static int64_t next_known(int64_t d, struct known known)
{
	uint32_t want = known.value & known.mask;

	if (known.mask & 0xff)
		d += (uint8_t)(want - (uint32_t)d);
	if (known.mask & 0xff00 && ((uint32_t)d ^ want) & 0xff00) {
		d += (uint16_t)((want & 0xff00) - ((uint32_t)d & 0xff00));
		d -= known.mask & 0xff ? 0 : d & 0xff;
	}
	return d;
}

static bool try_page(struct choice *c, uint32_t head, struct known known, uint64_t page)
{
	const uint64_t from = c->plan->patch.v + c->ops[head] + HOOK_JUMP;
	const int64_t lo = (int64_t)(page - from), hi = lo + PAGE_BYTES - HOOK_JUMP;
	const uint32_t upper = known.mask & UINT32_C(0xffff0000);

	if (lo != (int32_t)lo || hi != (int32_t)hi ||
	    ((((uint32_t)lo ^ known.value) & upper) &&
	     (((uint32_t)hi ^ known.value) & upper)))
		return false;
	for (int64_t d = next_known(lo, known); d <= hi && c->branches < BRANCHES_MAX;
	     d = next_known(d + 1, known)) {
		if (((uint32_t)d ^ known.value) & known.mask)
			continue;
		if (try_displacement(c, head, (uint32_t)d, HOOK_PLACE_MAPPED))
			return true;
		c->branches += head + 1 < c->plan->nheads;
	}
	return false;
}

static bool try_pages(struct choice *c, uint32_t head, struct known known)
{
	for (size_t i = c->places->npages; i-- > 0;)
		if (try_page(c, head, known, c->places->pages[i]))
			return true;
	return false;
}

/* New places, the farthest above first: least comes to be mapped there. */
static bool try_new(struct choice *c, uint32_t head, struct known known)
{
	static const uint32_t lower[] = {0x939393, 0x1a1a1a, 0xd5d5d5, 0x585858};
	unsigned ntop = known.mask >> 24 ? 1 : 256;
	size_t nlower = (known.mask & 0xffffff) == 0xffffff ? 1 : ARRAY_LEN(lower);

	for (unsigned i = 0; i < ntop; i++)
		for (size_t k = 0; k < nlower && c->asked < ASKED_MAX; k++) {
			uint32_t d = (uint32_t)(uint8_t)(0x7f - i) << 24 | lower[k];

			c->asked++;
			if (try_displacement(c, head, d, HOOK_PLACE_NEW))
				return true;
		}
	return false;
}

static bool choose_from(struct choice *c, uint32_t head)
{
	struct known known;

	if (head == c->plan->nheads)
		return true;
	known = known_of(c, head);
	if (known.mask == UINT32_MAX)
		return try_displacement(c, head, known.value, HOOK_PLACE_MAPPED) ||
		       try_displacement(c, head, known.value, HOOK_PLACE_NEW);
	return try_pages(c, head, known) || try_new(c, head, known);
}

bool hook_chain_choose(const struct hook_plan *plan, const struct hook_places *places,
		       uint8_t bytes[HOOK_PATCH_MAX])
{
	struct choice c = {.plan = plan, .places = places, .bytes = bytes};

	for (size_t i = 0; i < HOOK_PATCH_MAX; i++)
		bytes[i] = 0;
	chain_opcodes(plan, c.ops);
	chain_write_opcodes(plan, c.ops, bytes, c.is_known);
	return choose_from(&c, 0);
}
