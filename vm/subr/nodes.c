/* SPDX-License-Identifier: MIT */
/*
 * The values in the nodes of a container of the target. What links them is not trusted:
 * a walk has a limit of steps, so a chain that leads back to itself ends as well.
 */
#include "vm/nodes.h"

#include "vm/base/bytes.h"
#include "vm/base/status.h"
#include "vm/run/journal.h"

struct walk {
	struct firing *f;
	uint64_t node;
	uint32_t steps; /* words of nodes that may still be read */
	enum nodes_end end;
};

/* A word of the target; 0 ends the walk, as what cannot be read does. */
static uint64_t walk_word(struct walk *w, uint64_t addr)
{
	uint64_t v = 0;
	taddr bad;

	if (w->end != NODES_MORE)
		return 0;
	if (w->steps == 0)
		w->end = NODES_ENDLESS;
	else if (journal_read(w->f, taddr_of(addr), &v, sizeof(v), &bad))
		w->end = NODES_UNREADABLE;
	if (w->end != NODES_MORE)
		return 0;
	w->steps--;
	return v;
}

/* The node with the next greater key: down to the right, or up from the left. */
static void walk_up_or_down(struct walk *w)
{
	uint64_t next = walk_word(w, w->node + NODES_RIGHT), from = w->node;

	if (next) {
		do {
			w->node = next;
			next = walk_word(w, w->node + NODES_LEFT);
		} while (next);
		return;
	}
	do {
		w->node = from;
		from = walk_word(w, w->node + NODES_PARENT);
	} while (from && walk_word(w, from + NODES_RIGHT) == w->node);
	w->node = from;
}

static void walk_on(struct walk *w, enum nodes_kind kind)
{
	if (kind == NODES_TREE)
		walk_up_or_down(w);
	else
		w->node = walk_word(w, w->node);
	if (!w->node && w->end == NODES_MORE)
		w->end = NODES_ENDED;
}

static bool walk_read(struct walk *w, uint64_t addr, unsigned char *to, uint64_t n)
{
	taddr bad;

	if (journal_read(w->f, taddr_of(addr), to, n, &bad))
		w->end = NODES_UNREADABLE;
	return w->end == NODES_MORE;
}

/* Values in nodes of their own; how many were read. */
static uint64_t read_linked(struct walk *w, const struct nodes_shape *s,
			    unsigned char *to, uint64_t most)
{
	uint64_t n = 0;

	if (!w->node)
		w->end = NODES_ENDED;
	while (w->end == NODES_MORE && n < most &&
	       walk_read(w, w->node + s->offset, to + n * s->size, s->size)) {
		n++;
		if (n < most || s->is_ended)
			walk_on(w, s->kind);
	}
	return n;
}

/* Values in blocks of s->offset each, whose addresses follow each other at w->node. */
static uint64_t read_blocks(struct walk *w, const struct nodes_shape *s,
			    unsigned char *to, uint64_t most, uint64_t skip)
{
	uint64_t n = 0;

	while (w->end == NODES_MORE && n < most) {
		uint64_t block = walk_word(w, w->node),
			 part = min_u64(most - n, s->offset - skip);

		if (w->end != NODES_MORE ||
		    !walk_read(w, block + skip * s->size, to + n * s->size,
			       part * s->size))
			break;
		n += part;
		skip = 0;
		w->node += sizeof(block);
	}
	return n;
}

/* (to, address, elements to leave out, elements, room for so many, shape) */
enum fault subr_print_nodes(struct firing *f, const uint64_t *args, unsigned n,
			    uint64_t *out)
{
	struct nodes_shape s = nodes_shape_of(args[5]);
	struct walk w = {.f = f, .node = args[1], .steps = NODES_STEPS};
	uint64_t room = args[4] * s.size, got = 0, most = min_u64(args[3], args[4]);
	unsigned char *to;
	enum fault fault;

	(void)n;
	(void)out;
	if (args[4] > NODES_MAX || room > SCRATCH_BYTES)
		return firing_bad_address(f, args[0]);
	if (s.kind == NODES_BLOCKS && args[2] >= s.offset)
		w.end = NODES_UNREADABLE;
	fault = memory_room(f, args[0], room + 8, &to);
	if (fault != FAULT_NONE)
		return fault;
	if (most && s.kind == NODES_BLOCKS)
		got = read_blocks(&w, &s, to + 8, most, args[2]);
	else if (most)
		got = read_linked(&w, &s, to + 8, most);
	got *= s.size;
	bytes_zero(to + 8 + got, room - got);
	bytes_store(to, got | (uint64_t)w.end << NODES_END_SHIFT, 8);
	return memory_filled(f, args[0], room + 8, to);
}
