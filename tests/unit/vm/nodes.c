/* SPDX-License-Identifier: MIT */
/*
 * print_nodes() on lists, trees and blocks in memory of this test: what it reads, and
 * where it ends if the links lead nowhere, or for ever to the same nodes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support/vm_image.h"
#include "vm/block/layout.h"
#include "vm/nodes.h"

enum { ROOM = 16, BYTES = 8 + ROOM * 4 };

/* Nodes as libstdc++ has them; the memory that the target has. */
struct list_node {
	struct list_node *next;
	int32_t value;
};

struct tree_node {
	uint64_t color;
	struct tree_node *parent, *left, *right;
	int32_t value;
};

static struct memory {
	struct tree_node header, trees[40];
	struct list_node lists[40];
	int32_t *blocks[4];
	int32_t values[4][4];
} memory;

static const uint64_t nowhere = 0x1234;

struct got {
	uint32_t n;
	enum nodes_end end;
	int32_t values[ROOM];
};

struct asked {
	uint64_t address, skip, count;
	struct nodes_shape shape;
};

static struct got read_nodes(const struct asked *a)
{
	struct builder *b = builder_new();
	const uint64_t args[] = {0,	   a->address, a->skip,
				 a->count, ROOM,       nodes_shape_word(&a->shape)};
	insn_t code[16] = {I(LI, 1, 0, 0, BYTES), I(CALL, 1, 1, 1, SUBR_alloca)};
	uint32_t n = 2;
	struct got got;
	uint64_t word;
	struct rig *r;

	for (uint32_t i = 1; i < ARRAY_LEN(args); i++)
		code[n++] = I(LC, 1 + i, 0, 0, build_constant(b, args[i]));
	code[n++] = I(CALL, 7, 1, 6, SUBR_print_nodes);
	code[n++] = I(TUP, 0, 0, 0, 0);
	code[n++] = I(TPB, 1, 0, 0, BYTES);
	code[n++] = I(REC, 0, 0, 0, 0);
	code[n++] = I(END, 0, 0, 0, 0);
	build_field(b, field_bytes(BYTES));
	build_action(b, ACTION_trace, 1);
	build_clause(b, code, n);
	r = rig_new(b);
	r->world.real_lo = (uintptr_t)&memory;
	r->world.real_hi = r->world.real_lo + sizeof(memory);
	rig_fire(r);
	assert_non_null(rig_record(r));
	assert_int_not_equal(r->buf.record.kind, RECORD_FAULT);
	memcpy(&word, (const char *)rig_body(r) + 12, 8);
	memcpy(got.values, (const char *)rig_body(r) + 20, sizeof(got.values));
	got.end = (enum nodes_end)(word >> NODES_END_SHIFT);
	got.n = (uint32_t)word / 4;
	assert_int_equal((uint32_t)word % 4, 0);
	rig_free(r);
	return got;
}

static struct got read_list(const struct list_node *first, uint64_t count,
			    bool is_ended)
{
	const struct asked a = {
		(uintptr_t)first,
		0,
		count,
		{NODES_LIST, is_ended, offsetof(struct list_node, value), 4}};

	return read_nodes(&a);
}

/* The values are from, from + 1 ... */
static void expect(const struct got *got, uint32_t n, int32_t from, enum nodes_end end)
{
	assert_int_equal(got->n, n);
	assert_int_equal(got->end, end);
	for (uint32_t i = 0; i < ROOM; i++)
		assert_int_equal(got->values[i], i < n ? from + (int32_t)i : 0);
}

static void make_list(size_t n)
{
	for (size_t i = 0; i < n; i++)
		memory.lists[i] = (struct list_node){
			i + 1 < n ? &memory.lists[i + 1] : NULL, 100 + (int32_t)i};
}

static void test_lists(void **state)
{
	struct got got;

	(void)state;
	make_list(30);
	got = read_list(memory.lists, 5, false);
	expect(&got, 5, 100, NODES_MORE);
	got = read_list(memory.lists, 30, false);
	expect(&got, ROOM, 100, NODES_MORE);
	got = read_list(memory.lists, UINT64_MAX, true);
	expect(&got, ROOM, 100, NODES_MORE);
	got = read_list(memory.lists, 0, false);
	expect(&got, 0, 100, NODES_MORE);
	make_list(ROOM);
	got = read_list(memory.lists, UINT64_MAX, true);
	expect(&got, ROOM, 100, NODES_ENDED);
	make_list(3);
	got = read_list(memory.lists, UINT64_MAX, true);
	expect(&got, 3, 100, NODES_ENDED);
	/* the length is a lie */
	got = read_list(memory.lists, 7, false);
	expect(&got, 3, 100, NODES_ENDED);
	got = read_list(NULL, UINT64_MAX, true);
	expect(&got, 0, 100, NODES_ENDED);
	memory.lists[1].next = (struct list_node *)nowhere;
	got = read_list(memory.lists, 7, false);
	expect(&got, 2, 100, NODES_UNREADABLE);
	got = read_list((struct list_node *)nowhere, 7, false);
	expect(&got, 0, 100, NODES_UNREADABLE);
	/* the last node leads to the first */
	make_list(1);
	memory.lists[0].next = memory.lists;
	got = read_list(memory.lists, UINT64_MAX, true);
	assert_int_equal(got.n, ROOM);
	assert_int_equal(got.end, NODES_MORE);
}

/* Makes a tree of the values from lo to hi - 1; which shape it has is by chance. */
static struct tree_node *make_tree(size_t lo, size_t hi, struct tree_node *parent)
{
	size_t mid;
	struct tree_node *node;

	if (lo == hi)
		return NULL;
	mid = lo + (size_t)rand() % (hi - lo);
	node = &memory.trees[mid];
	*node = (struct tree_node){.parent = parent, .value = (int32_t)mid};
	node->left = make_tree(lo, mid, node);
	node->right = make_tree(mid + 1, hi, node);
	return node;
}

static struct got read_tree(const struct tree_node *first, uint64_t count)
{
	const struct asked a = {
		(uintptr_t)first,
		0,
		count,
		{NODES_TREE, false, offsetof(struct tree_node, value), 4}};

	return read_nodes(&a);
}

/* The header is the root's parent, and has the root, the first and the last node. */
static void make_container(size_t n)
{
	memory.header.parent = make_tree(0, n, &memory.header);
	memory.header.left = memory.trees;
	memory.header.right = &memory.trees[n - 1];
}

static void test_trees(void **state)
{
	struct got got;

	(void)state;
	srand(1);
	for (size_t n = 1; n <= ARRAY_LEN(memory.trees); n++) {
		make_container(n);
		got = read_tree(memory.header.left, n);
		expect(&got, n < ROOM ? (uint32_t)n : ROOM, 0, NODES_MORE);
	}
	/* a node that is its own right one, and one that is its own left one */
	make_container(1);
	memory.trees[0].right = memory.trees;
	got = read_tree(memory.trees, ROOM);
	assert_int_equal(got.n, ROOM);
	memory.trees[0].left = memory.trees;
	got = read_tree(memory.trees, ROOM);
	expect(&got, 1, 0, NODES_ENDLESS);
	memory.trees[0] = (struct tree_node){.right = (struct tree_node *)nowhere};
	got = read_tree(memory.trees, ROOM);
	expect(&got, 1, 0, NODES_UNREADABLE);
	memory.trees[0] = (struct tree_node){0};
	got = read_tree(memory.trees, ROOM);
	expect(&got, 1, 0, NODES_ENDED);
}

static void test_blocks(void **state)
{
	struct asked a = {(uintptr_t)memory.blocks, 0, 0, {NODES_BLOCKS, false, 4, 4}};
	struct got got;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		memory.blocks[i] = memory.values[i];
		for (size_t k = 0; k < 4; k++)
			memory.values[i][k] = (int32_t)(4 * i + k);
	}
	for (a.skip = 0; a.skip < 4; a.skip++) {
		for (a.count = 0; a.count <= 16 - a.skip; a.count++) {
			got = read_nodes(&a);
			expect(&got, (uint32_t)a.count, (int32_t)a.skip, NODES_MORE);
		}
	}
	a.skip = 4;
	got = read_nodes(&a);
	expect(&got, 0, 0, NODES_UNREADABLE);
	a.skip = 1;
	a.count = UINT64_MAX;
	memory.blocks[2] = (int32_t *)nowhere;
	got = read_nodes(&a);
	expect(&got, 7, 1, NODES_UNREADABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
