/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "dlang/check/fold.h"
#include "dlang/type.h"

struct fixture {
	struct arena arena;
	struct types types;
};

static int setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){0};
	types_init(&f.types, &f.arena, 256);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	types_release(&f->types);
	arena_release(&f->arena);
	return 0;
}

static const struct type *parse(struct types *ts, const char *text)
{
	const struct type *t = type_parse(ts, text, strlen(text));

	if (!t)
		fail_msg("no type %s", text);
	return t;
}

static void test_sizes(void **state)
{
	static const struct {
		const char *name;
		uint32_t size;
		bool is_signed;
	} cases[] = {
		{"char", 1, true},
		{"signed char", 1, true},
		{"unsigned char", 1, false},
		{"short", 2, true},
		{"unsigned short int", 2, false},
		{"int", 4, true},
		{"signed", 4, true},
		{"unsigned", 4, false},
		{"long", 8, true},
		{"unsigned long int", 8, false},
		{"long long", 8, true},
		{"unsigned long long int", 8, false},
		{"_Bool", 1, false},
		{"float", 4, false},
		{"double", 8, false},
		{"long double", 16, false},
		{"void", 0, false},
		{"string", 256, false},
		{"int8_t", 1, true},
		{"uint8_t", 1, false},
		{"int16_t", 2, true},
		{"uint16_t", 2, false},
		{"int32_t", 4, true},
		{"uint32_t", 4, false},
		{"int64_t", 8, true},
		{"uint64_t", 8, false},
		{"intptr_t", 8, true},
		{"uintptr_t", 8, false},
		{"size_t", 8, false},
		{"ssize_t", 8, true},
		{"ptrdiff_t", 8, true},
		{"uchar_t", 1, false},
		{"ushort_t", 2, false},
		{"uint_t", 4, false},
		{"ulong_t", 8, false},
		{"u_longlong_t", 8, false},
		{"id_t", 4, true},
		{"pid_t", 4, true},
		{"uid_t", 4, false},
		{"hrtime_t", 8, true},
		{"char *", 8, false},
		{"const char **", 8, false},
	};
	struct types *ts = &((struct fixture *)*state)->types;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct type *t = parse(ts, cases[i].name);

		if (type_size(ts, t) != cases[i].size ||
		    type_is_signed(t) != cases[i].is_signed)
			fail_msg("%s: %u bytes", cases[i].name,
				 (unsigned)type_size(ts, t));
	}
	assert_null(type_find(ts, "short long"));
	assert_null(type_find(ts, "nosuch_t"));
}

static void test_names(void **state)
{
	struct types *ts = &((struct fixture *)*state)->types;
	const struct type *i3 = type_array(ts, ts->t_int, 3);
	const struct type *p = type_pointer(ts, ts->t_char);

	assert_string_equal(i3->name, "int [3]");
	assert_string_equal(type_array(ts, i3, 2)->name, "int [2][3]");
	assert_string_equal(type_pointer(ts, i3)->name, "int (*)[3]");
	assert_string_equal(type_pointer(ts, p)->name, "char **");
	assert_string_equal(type_pointer(ts, ts->t_func)->name, "int (*)()");
	assert_string_equal(type_qualified(ts, "const", ts->t_char)->name,
			    "const char");
	assert_string_equal(type_qualified(ts, "const", p)->name, "char * const");
	assert_string_equal(type_userland(ts, p)->name, "userland char *");
	assert_string_equal(parse(ts, "const char *")->name, "const char *");
	assert_int_equal(type_size(ts, type_array(ts, i3, 2)), 24);
}

/* Equal types are one object, or at least known as the same. */
static void test_same(void **state)
{
	struct types *ts = &((struct fixture *)*state)->types;
	const struct type *p = type_pointer(ts, ts->t_int);

	assert_ptr_equal(p, type_pointer(ts, ts->t_int));
	assert_ptr_equal(type_array(ts, p, 4), type_array(ts, p, 4));
	assert_true(type_is_same(ts->t_long, ts->t_int64));
	assert_true(type_is_same(ts->t_long, ts->t_longlong));
	assert_false(type_is_same(ts->t_long, ts->t_ulong));
	assert_true(type_is_same(parse(ts, "const char *"), parse(ts, "char *")));
	assert_false(type_is_same(p, type_userland(ts, p)));
	assert_non_null(type_define(ts, "mine", p));
	assert_null(type_define(ts, "mine", p));
	assert_null(type_define(ts, "int", p));
	assert_true(type_is_same(type_find(ts, "mine"), p));
}

static void test_promotion(void **state)
{
	static const struct {
		const char *a, *b, *result;
	} cases[] = {
		{"char", "char", "char"},
		{"char", "unsigned char", "unsigned char"},
		{"char", "int", "int"},
		{"unsigned short", "int", "int"},
		{"int", "unsigned int", "unsigned int"},
		{"unsigned int", "long", "long"},
		{"long", "unsigned long", "unsigned long"},
		{"long", "long long", "long long"},
		{"long long", "unsigned long", "unsigned long"},
		{"unsigned long", "unsigned long long", "unsigned long long"},
		{"int", "pid_t", "pid_t"},
		{"size_t", "int", "size_t"},
	};
	struct types *ts = &((struct fixture *)*state)->types;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct type *a = parse(ts, cases[i].a),
				  *b = parse(ts, cases[i].b);

		assert_string_equal(type_promote(a, b)->name, cases[i].result);
		assert_string_equal(type_promote(b, a)->name, cases[i].result);
	}
}

static void test_literals(void **state)
{
	static const struct {
		uint64_t v;
		bool is_decimal, has_u;
		unsigned longs;
		const char *type;
	} cases[] = {
		{5, true, false, 0, "int"},
		{2147483648, true, false, 0, "long"},
		{2147483648, false, false, 0, "unsigned int"},
		{5000000000, true, false, 0, "long"},
		{0xffffffff, false, false, 0, "unsigned int"},
		{UINT64_MAX, false, false, 0, "unsigned long"},
		{UINT64_MAX, true, false, 0, NULL},
		{UINT64_MAX, true, true, 0, "unsigned long"},
		{5, true, true, 0, "unsigned int"},
		{5, true, false, 1, "long"},
		{5, true, true, 1, "unsigned long"},
		{5, true, false, 2, "long long"},
		{5, true, true, 2, "unsigned long long"},
		{UINT64_MAX, false, false, 2, "unsigned long long"},
		{UINT64_MAX, true, false, 2, NULL},
	};
	struct types *ts = &((struct fixture *)*state)->types;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct type *t =
			type_of_literal(ts, cases[i].v, cases[i].is_decimal,
					cases[i].has_u, cases[i].longs);

		if (!t || !cases[i].type)
			assert_true(!t && !cases[i].type);
		else
			assert_string_equal(t->name, cases[i].type);
	}
}

static void test_fold(void **state)
{
	static const struct {
		enum ast_op op;
		uint64_t a, b;
		const char *type;
		uint64_t result;
	} cases[] = {
		{AST_OP_DIV, (uint64_t)-7, 2, "int", (uint64_t)-3},
		{AST_OP_MOD, (uint64_t)-7, 2, "int", (uint64_t)-1},
		{AST_OP_DIV, (uint64_t)-7, 2, "unsigned long", 0x7ffffffffffffffc},
		{AST_OP_DIV, (uint64_t)INT64_MIN, (uint64_t)-1, "long",
		 (uint64_t)INT64_MIN},
		{AST_OP_MOD, (uint64_t)INT64_MIN, (uint64_t)-1, "long", 0},
		{AST_OP_SHL, 1, 63, "int", UINT64_C(1) << 63},
		{AST_OP_SHL, 1, 64, "int", 1},
		{AST_OP_SHR, (uint64_t)-8, 1, "int", (uint64_t)-4},
		{AST_OP_SHR, (uint64_t)-8, 0, "int", (uint64_t)-8},
		{AST_OP_SHR, (uint64_t)-8, 1, "unsigned long", 0x7ffffffffffffffc},
		{AST_OP_LT, (uint64_t)-1, 1, "int", 1},
		{AST_OP_LT, (uint64_t)-1, 1, "unsigned int", 0},
		{AST_OP_GE, (uint64_t)-1, 1, "unsigned int", 1},
		{AST_OP_LE, 3, 3, "int", 1},
		{AST_OP_GT, 3, 3, "int", 0},
		{AST_OP_LXOR, 4, 0, "int", 1},
		{AST_OP_LXOR, 4, 2, "int", 0},
		{AST_OP_LAND, 4, 0, "int", 0},
		{AST_OP_LOR, 0, 9, "int", 1},
		{AST_OP_BXOR, 6, 3, "int", 5},
	};
	struct types *ts = &((struct fixture *)*state)->types;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t v = fold_binary(cases[i].op, cases[i].a, cases[i].b,
					 parse(ts, cases[i].type));

		if (v != cases[i].result)
			fail_msg("case %zu: %llx", i, (unsigned long long)v);
	}
	assert_true(fold_unary(AST_OP_NEG, 1, ts->t_uint) == 0xffffffff);
	assert_true(fold_unary(AST_OP_NEG, 1, ts->t_int) == UINT64_MAX);
	assert_true(fold_unary(AST_OP_BNOT, 0, ts->t_uint) == UINT64_MAX);
	assert_true(fold_cast(0x1ff, ts->t_char) == UINT64_MAX);
	assert_true(fold_cast(0x1fffffffe, ts->t_uint) == 0xfffffffe);
	assert_true(fold_cast(UINT64_MAX, ts->t_long) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),	 cmocka_unit_test(test_names),
		cmocka_unit_test(test_same),	 cmocka_unit_test(test_promotion),
		cmocka_unit_test(test_literals), cmocka_unit_test(test_fold),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
