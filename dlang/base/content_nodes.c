/* SPDX-License-Identifier: MIT */
/*
 * Containers of libstdc++ whose values are in nodes. Debug data describes the container
 * and the head of its nodes; a value follows that head at the next multiple of its
 * alignment. Where the alignment is not certain, the container is not recognized.
 */
#include "dlang/base/content_find.h"

#include <string.h>

#define ALIGN_UNKNOWN 4096
#define BLOCK_BYTES   512 /* of a block of a deque, if a value is not larger */
#define DEPTH_MAX     32

/* ---- alignment ---- */

/* The highest alignment that a value of the type may have. */
static uint32_t most_align(struct types *ts, const struct type *t, unsigned depth)
{
	uint32_t most = 1;

	for (; t->kind == TYPE_ALIAS; t = t->base)
		if (t->is_wide || t->is_vector)
			return (uint32_t)type_size(ts, t);
	if (depth == DEPTH_MAX)
		return ALIGN_UNKNOWN;
	/* bytes may stand for a number that D does not have */
	if (t->kind == TYPE_ARRAY &&
	    type_resolve(t->base) == type_find(ts, "unsigned char"))
		return t->size == 16 || t->size == 32 ? 16 : 1;
	if (t->kind == TYPE_ARRAY)
		return most_align(ts, t->base, depth + 1);
	if (!type_is_struct_or_union(t))
		return (uint32_t)min_u64(type_size(ts, t), 16);
	if (!type_complete(ts, t))
		return ALIGN_UNKNOWN;
	most = t->align ? t->align : 1;
	for (const struct type_member *m = t->members; m; m = m->next) {
		uint32_t align = most_align(ts, m->type, depth + 1);

		most = align > most ? align : most;
	}
	return most;
}

/* Values of the type follow a head of so many bytes. */
static bool set_values(struct types *ts, const struct type *value, uint32_t head,
		       struct content *c)
{
	uint64_t size = value ? type_size(ts, value) : 0;

	if (!size || size > CONTENT_VALUE_MAX || most_align(ts, value, 0) > head)
		return false;
	c->kind = CONTENT_NODES;
	c->element = value;
	c->shape.offset = head;
	c->shape.size = (uint32_t)size;
	return true;
}

static bool is_pointer_at(struct types *ts, const struct type *t, const char *name,
			  uint64_t offset)
{
	struct type_member m;

	return type_member(ts, t, name, &m) && m.offset == offset && !m.nbits &&
	       type_resolve(m.type)->kind == TYPE_POINTER;
}

/* ---- trees ---- */

bool content_find_tree(struct types *ts, const struct type *t, struct content *c)
{
	static const char *const header[] = {"_M_t", "_M_impl", "_M_header", NULL};
	static const char *const count[] = {"_M_t", "_M_impl", "_M_node_count", NULL};
	struct type_member tree, m;

	c->shape.kind = NODES_TREE;
	if (!type_member(ts, t, "_M_t", &tree) || !content_path(ts, t, header, &m) ||
	    !content_length(ts, t, count, c) ||
	    type_size(ts, m.type) != NODES_RIGHT + 8 ||
	    !is_pointer_at(ts, m.type, "_M_parent", NODES_PARENT) ||
	    !is_pointer_at(ts, m.type, "_M_left", NODES_LEFT) ||
	    !is_pointer_at(ts, m.type, "_M_right", NODES_RIGHT))
		return false;
	c->begin = m.offset + NODES_LEFT;
	return content_is_inside(ts, t, c->begin, 8) && type_complete(ts, tree.type) &&
	       set_values(ts, type_resolve(tree.type)->arguments[1], NODES_RIGHT + 8,
			  c);
}

bool content_find_map(struct types *ts, const struct type *t, struct content *c)
{
	c->is_map = true;
	return content_find_tree(ts, t, c);
}

/* ---- lists ---- */

bool content_find_list(struct types *ts, const struct type *t, struct content *c)
{
	static const char *const node[] = {"_M_impl", "_M_node", NULL};
	static const char *const count[] = {"_M_impl", "_M_node", "_M_size", NULL};
	struct type_member m;

	c->shape.kind = NODES_LIST;
	if (!content_path(ts, t, node, &m) || !content_length(ts, t, count, c) ||
	    !is_pointer_at(ts, m.type, "_M_next", 0) ||
	    !is_pointer_at(ts, m.type, "_M_prev", 8))
		return false;
	c->begin = m.offset;
	return content_is_inside(ts, t, c->begin, 8) &&
	       set_values(ts, t->arguments[0], 16, c);
}

/* It has no length. */
bool content_find_forward(struct types *ts, const struct type *t, struct content *c)
{
	static const char *const head[] = {"_M_impl", "_M_head", NULL};
	struct type_member m;

	c->shape.kind = NODES_LIST;
	c->shape.is_ended = true;
	if (!content_path(ts, t, head, &m) || type_size(ts, m.type) != 8 ||
	    !is_pointer_at(ts, m.type, "_M_next", 0))
		return false;
	c->begin = m.offset;
	return content_is_inside(ts, t, c->begin, 8) &&
	       set_values(ts, t->arguments[0], 8, c);
}

/* The nodes of all buckets are one list. */
bool content_find_hash(struct types *ts, const struct type *t, struct content *c)
{
	static const char *const before[] = {"_M_h", "_M_before_begin", NULL};
	static const char *const count[] = {"_M_h", "_M_element_count", NULL};
	struct type_member table, m;

	c->shape.kind = NODES_LIST;
	if (!type_member(ts, t, "_M_h", &table) || !content_path(ts, t, before, &m) ||
	    !content_length(ts, t, count, c) || type_size(ts, m.type) != 8 ||
	    !is_pointer_at(ts, m.type, "_M_nxt", 0))
		return false;
	c->begin = m.offset;
	return content_is_inside(ts, t, c->begin, 8) && type_complete(ts, table.type) &&
	       set_values(ts, type_resolve(table.type)->arguments[1], 8, c);
}

bool content_find_hash_map(struct types *ts, const struct type *t, struct content *c)
{
	c->is_map = true;
	return content_find_hash(ts, t, c);
}

/* ---- deques ---- */

static bool is_deque_position(struct types *ts, const struct type *t)
{
	return is_pointer_at(ts, t, "_M_cur", CONTENT_DEQUE_CUR) &&
	       is_pointer_at(ts, t, "_M_first", CONTENT_DEQUE_FIRST) &&
	       is_pointer_at(ts, t, "_M_node", CONTENT_DEQUE_NODE);
}

bool content_find_deque(struct types *ts, const struct type *t, struct content *c)
{
	static const char *const start[] = {"_M_impl", "_M_start", NULL};
	static const char *const finish[] = {"_M_impl", "_M_finish", NULL};
	struct type_member first, last;
	uint64_t size = t->arguments[0] ? type_size(ts, t->arguments[0]) : 0;

	if (!content_path(ts, t, start, &first) ||
	    !content_path(ts, t, finish, &last) || !is_deque_position(ts, first.type) ||
	    !is_deque_position(ts, last.type) || !size || size > CONTENT_VALUE_MAX)
		return false;
	c->kind = CONTENT_BLOCKS;
	c->element = t->arguments[0];
	c->begin = first.offset;
	c->length = last.offset;
	c->shape = (struct nodes_shape){
		.kind = NODES_BLOCKS,
		.offset = size < BLOCK_BYTES ? BLOCK_BYTES / (uint32_t)size : 1,
		.size = (uint32_t)size,
	};
	return content_is_inside(ts, t, c->begin, CONTENT_DEQUE_NODE + 8) &&
	       content_is_inside(ts, t, c->length, CONTENT_DEQUE_NODE + 8);
}
