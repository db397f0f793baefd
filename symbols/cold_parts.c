/* SPDX-License-Identifier: MIT */
#include "symbols/cold_parts.h"

#include <stdlib.h>

#include "symbols/elf/machine.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/search.h"
#include "vm/base/host/vec.h"

#define CHAIN_MAX   16 /* length of a chain of fragments that jump to each other */
#define NO_FRAGMENT SIZE_MAX

/* Bytes of code that are read at once: processors hold them near. */
#ifdef DTRACE_SMALL_LIMITS
#define PIECE 4096
#else
#define PIECE (256u << 10)
#endif

struct fragment {
	uint64_t lo, hi;
	size_t candidate; /* index */
	size_t owner;	  /* index + 1 of the candidate with most jumps; 0: none */
	bool is_entered;  /* jumps into it are counted, which are more certain */
	uint32_t jumps;	  /* all jumps of that kind */
	uint32_t lead; /* a lower bound: the owner has this many more than all others */
};

struct fragments {
	const struct candidates *candidates;
	struct fragment *data; /* vec: ascending, not overlapping */
	size_t len, cap;
};

static void list_fragments(struct fragments *fs)
{
	uint64_t end = 0;

	for (size_t i = 0; i < fs->candidates->len; i++) {
		const struct symbol *s = &fs->candidates->data[i].symbol;

		if (!s->is_fragment || s->value < end)
			continue;
		end = s->value + s->size;
		*vec_push(fs) =
			(struct fragment){.lo = s->value, .hi = end, .candidate = i};
	}
}

static size_t fragment_at(const struct fragments *fs, uint64_t at)
{
	size_t n;

	if (at < fs->data[0].lo || at >= fs->data[fs->len - 1].hi)
		return NO_FRAGMENT;
	n = search_at_most(&fs->data->lo, fs->len, sizeof(*fs->data), at);
	return at < fs->data[n - 1].hi ? n - 1 : NO_FRAGMENT;
}

/* Index + 1 of the candidate (the preferred alias) that holds the address, or 0. */
static size_t candidate_at(const struct candidates *c, uint64_t at)
{
	size_t n = search_at_most(&c->data->symbol.value, c->len, sizeof(*c->data), at);

	if (!n || at - c->data[n - 1].symbol.value >= c->data[n - 1].symbol.size)
		return 0;
	while (n > 1 && c->data[n - 2].symbol.value == c->data[n - 1].symbol.value)
		n--;
	return n;
}

static void claim(struct fragment *part, size_t owner, bool is_entered)
{
	if (!owner || part->is_entered > is_entered)
		return;
	if (part->is_entered < is_entered)
		part->jumps = part->lead = 0;
	part->is_entered = is_entered;
	part->jumps++;
	if (!part->lead)
		part->owner = owner;
	if (part->owner == owner)
		part->lead++;
	else
		part->lead--;
}

/* Whether at least three in four jumps are of the owner. */
static bool is_sure(const struct fragment *part)
{
	return part->lead * 2 > part->jumps;
}

static void add_jump(void *ctx, uint64_t from, uint64_t to)
{
	struct fragments *fs = ctx;
	size_t left = fragment_at(fs, from), entered = fragment_at(fs, to), owner;

	if (left == entered)
		return;
	if (entered != NO_FRAGMENT)
		claim(&fs->data[entered], candidate_at(fs->candidates, from), true);
	if (left == NO_FRAGMENT)
		return;
	/* a jump to the beginning of a function is a tail call */
	owner = candidate_at(fs->candidates, to);
	if (owner && fs->candidates->data[owner - 1].symbol.value != to)
		claim(&fs->data[left], owner, false);
}

/* Its bytes are read in pieces, which overlap: each jump is whole in one of them. */
static void scan_area(struct fragments *fs, const struct elf_file *f, uint64_t at,
		      uint64_t n)
{
	uint64_t offset, piece, from = 0;
	uint8_t *bytes;

	if (!elf_offset(f, at, n, &offset))
		return;
	for (; n - from >= MACHINE_JUMP_MAX; from += piece - (MACHINE_JUMP_MAX - 1)) {
		piece = min_u64(n - from, PIECE);
		bytes = elf_read(f, offset + from, piece);
		if (!bytes)
			return;
		machine_find_jumps(bytes, (size_t)piece, at + from, add_jump, fs);
		free(bytes);
	}
}

static void scan_areas(struct fragments *fs, const struct elf_file *f,
		       const struct code_areas *areas)
{
	for (size_t i = 0; i < areas->len; i++)
		scan_area(fs, f, areas->data[i].lo,
			  areas->data[i].hi - areas->data[i].lo);
}

/* The candidate as a fragment; NULL if it is none. */
static const struct fragment *fragment_of(const struct fragments *fs, size_t candidate)
{
	const struct symbol *s = &fs->candidates->data[candidate].symbol;
	size_t i = fragment_at(fs, s->value);

	return i != NO_FRAGMENT && fs->data[i].candidate == candidate ? &fs->data[i]
								      : NULL;
}

/* Its function, perhaps through other fragments; NULL if it is not certain. */
static const struct symbol *owner_of(const struct fragments *fs,
				     const struct fragment *part)
{
	for (int i = 0; i < CHAIN_MAX && is_sure(part); i++) {
		const struct fragment *next = fragment_of(fs, part->owner - 1);

		if (!next)
			return &fs->candidates->data[part->owner - 1].symbol;
		part = next;
	}
	return NULL;
}

/* Adds a part for each fragment with a known function, and marks it in is_part. */
static bool find_owners(const struct fragments *fs, bool *is_part,
			struct pending_parts *parts)
{
	bool is_any = false;

	for (size_t i = 0; i < fs->len; i++) {
		const struct fragment *part = &fs->data[i];
		const struct symbol *owner = owner_of(fs, part);

		if (!owner)
			continue;
		is_any = is_part[part->candidate] = true;
		*vec_push(parts) = (struct pending_part){owner->value, owner->size,
							 part->lo, part->hi - part->lo};
	}
	return is_any;
}

bool fragments_join(struct candidates *c, const struct elf_file *f,
		    const struct code_areas *areas, struct pending_parts *parts)
{
	struct fragments fs = {.candidates = c};
	bool *is_part = NULL, is_any = false;
	size_t n = 0;

	list_fragments(&fs);
	if (fs.len) {
		is_part = oom_calloc(c->len, sizeof(*is_part));
		scan_areas(&fs, f, areas);
		is_any = find_owners(&fs, is_part, parts);
	}
	for (size_t i = 0; is_any && i < c->len; i++)
		if (!is_part[i])
			c->data[n++] = c->data[i];
	if (is_any)
		c->len = n;
	free(is_part);
	vec_release(&fs);
	return is_any;
}
