/* SPDX-License-Identifier: MIT */
/* Stacks merged to a tree, its limits, and the flame graph of a large one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tracer/pictures/flame.h"

static void add(struct tree *t, const char *stack, enum tree_run run, uint64_t value)
{
	tree_add(t, stack, strlen(stack), run, value);
}

static uint32_t child(const struct tree *t, uint32_t node, const char *name)
{
	for (uint32_t c = t->nodes.data[node].first; c; c = t->nodes.data[c].next)
		if (strcmp(t->nodes.data[c].name, name) == 0)
			return c;
	fail_msg("no child %s", name);
	return 0;
}

static void test_merged(void **state)
{
	struct tree t = {0};
	uint32_t a, b;

	(void)state;
	add(&t, "main;b;leaf", TREE_NOW, 5);
	add(&t, "main;a", TREE_NOW, 2);
	add(&t, "main;b", TREE_NOW, 1);
	add(&t, "main;b;leaf", TREE_BASE, 40);
	add(&t, "big", TREE_NOW, UINT64_MAX - 1);
	tree_finish(&t);
	a = child(&t, 0, "main");
	b = child(&t, a, "b");
	assert_int_equal(t.nodes.len, 6);
	assert_int_equal(t.nodes.data[a].total[TREE_NOW], 8);
	assert_int_equal(t.nodes.data[a].total[TREE_BASE], 40);
	assert_int_equal(t.nodes.data[b].total[TREE_NOW], 6);
	assert_int_equal(t.nodes.data[b].self[TREE_NOW], 1);
	/* a sum that is too large stays at the largest */
	assert_true(t.nodes.data[0].total[TREE_NOW] == UINT64_MAX);
	/* in order of names */
	assert_string_equal(t.nodes.data[t.nodes.data[a].first].name, "a");
	assert_false(t.is_cut);
	tree_release(&t);
}

static void test_limits(void **state)
{
	struct tree t = {0};
	char stack[8 * 400 + 1] = "", name[1001];
	uint32_t node = 0, depth = 0;

	(void)state;
	for (int i = 0; i < 400; i++)
		sprintf(stack + strlen(stack), "%sf%d", i ? ";" : "", i);
	add(&t, stack, TREE_NOW, 7);
	assert_true(t.is_cut);
	/* 400 bytes end inside a character of two */
	memset(name, 'x', 399);
	for (int i = 399; i < 999; i += 2)
		memcpy(name + i, "\xc3\xa9", 3);
	add(&t, name, TREE_NOW, 1);
	tree_finish(&t);
	for (node = child(&t, 0, "f0"); t.nodes.data[node].first;
	     node = t.nodes.data[node].first)
		depth++;
	assert_int_equal(depth + 1, TREE_DEPTH);
	assert_int_equal(t.nodes.data[node].self[TREE_NOW], 7);
	memcpy(name + 399, "...", 4);
	child(&t, 0, name);
	tree_release(&t);
}

/* However many stacks there are, the file has no more frames than it may. */
static void test_boxes(void **state)
{
	struct tree t = {0};
	struct strbuf svg = {0};
	const struct flame f = {.tree = &t, .title = "t", .unit = "u"};
	size_t frames = 0;

	(void)state;
	for (int i = 0; i < 12000; i++) {
		char stack[64];

		sprintf(stack, "f%d;g%d;h%d", i, i, i);
		add(&t, stack, TREE_NOW, (uint64_t)(i % 3 + 1));
	}
	tree_finish(&t);
	flame_write(&f, &svg);
	for (const char *p = svg.data; (p = strstr(p, "<g class=")); p++)
		frames++;
	/* those of the value 3, and the root */
	assert_int_equal(frames, 4000 * 3 + 1);
	assert_true(frames <= FLAME_BOXES);
	strbuf_release(&svg);
	tree_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merged),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_boxes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
