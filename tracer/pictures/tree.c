/* SPDX-License-Identifier: MIT */
#include "tracer/pictures/tree.h"
#include "tracer/base/text.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

void tree_release(struct tree *t)
{
	for (size_t i = 0; i < t->names.len; i++)
		free(t->names.data[i]);
	vec_release(&t->names);
	vec_release(&t->nodes);
	strmap_release(&t->by_name);
	map_release(&t->children);
	strbuf_release(&t->frame);
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* The number of a frame's name, which is cut between two characters. */
static uint32_t name_of(struct tree *t, const char *frame, size_t n)
{
	uint64_t number;
	size_t keep = n;

	if (n > TREE_NAME) {
		keep = TREE_NAME;
		while (keep && ((unsigned char)frame[keep] & 0xc0) == 0x80)
			keep--;
		t->is_cut = true;
	}
	strbuf_reset(&t->frame);
	text_add_frame(&t->frame, frame, keep);
	strbuf_puts(&t->frame, keep < n ? "..." : "");
	if (strmap_get(&t->by_name, t->frame.data, &number))
		return (uint32_t)number;
	number = t->names.len;
	strmap_set(&t->by_name, t->frame.data, number);
	*vec_push(&t->names) = memcpy(oom_realloc(NULL, t->frame.len + 1),
				      t->frame.data, t->frame.len + 1);
	return (uint32_t)number;
}

/* The child of a node; 0: there is no room for one. */
static uint32_t child_of(struct tree *t, uint32_t parent, uint32_t name)
{
	uint64_t key = (uint64_t)parent << 32 | name, node;

	if (map_get(&t->children, key, &node))
		return (uint32_t)node;
	if (t->nodes.len >= TREE_NODES)
		return 0;
	node = t->nodes.len;
	*vec_push(&t->nodes) = (struct tree_node){.name = t->names.data[name],
						  .parent = parent,
						  .next = t->nodes.data[parent].first};
	t->nodes.data[parent].first = (uint32_t)node;
	map_set(&t->children, key, node);
	return (uint32_t)node;
}

void tree_add(struct tree *t, const char *stack, size_t n, enum tree_run run,
	      uint64_t value)
{
	const char *end = stack + n;
	uint32_t node = 0, child = 1;

	if (!t->nodes.len)
		*vec_push(&t->nodes) = (struct tree_node){.name = "all"};
	for (unsigned depth = 0; stack < end && child; depth++) {
		const char *stop = memchr(stack, ';', (size_t)(end - stack));
		size_t len = (size_t)((stop ? stop : end) - stack);

		child = depth < TREE_DEPTH ? child_of(t, node, name_of(t, stack, len))
					   : 0;
		node = child ? child : node;
		t->is_cut |= !child;
		stack += len + 1;
	}
	t->nodes.data[node].self[run] = add_up(t->nodes.data[node].self[run], value);
}

/* Two children, by their names; ctx is the tree. */
static int compare(const void *a, const void *b, void *ctx)
{
	const struct tree *t = ctx;

	return strcmp(t->nodes.data[*(const uint32_t *)a].name,
		      t->nodes.data[*(const uint32_t *)b].name);
}

static void sort_children(struct tree *t, uint32_t node, uint32_t *room)
{
	size_t n = 0;

	for (uint32_t c = t->nodes.data[node].first; c; c = t->nodes.data[c].next)
		room[n++] = c;
	qsort_r(room, n, sizeof(*room), compare, t);
	t->nodes.data[node].first = n ? room[0] : 0;
	for (size_t i = 0; i < n; i++)
		t->nodes.data[room[i]].next = i + 1 < n ? room[i + 1] : 0;
}

void tree_finish(struct tree *t)
{
	uint32_t *room = oom_calloc(t->nodes.len + 1, sizeof(*room));

	/* A child comes after its parent. */
	for (size_t i = t->nodes.len; i-- > 0;) {
		struct tree_node *node = &t->nodes.data[i];

		for (int run = 0; run < TREE_RUNS; run++) {
			struct tree_node *up = &t->nodes.data[node->parent];

			node->total[run] = add_up(node->total[run], node->self[run]);
			if (i)
				up->total[run] =
					add_up(up->total[run], node->total[run]);
		}
		sort_children(t, (uint32_t)i, room);
	}
	free(room);
}
