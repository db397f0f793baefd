/* SPDX-License-Identifier: MIT */
/* print(): values of all types as text; members and sizes that cannot be right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dlang/base/content.h"
#include "dlang/check/check.h"
#include "dlang/gen/image.h"

struct rig {
	struct dlang *d;
	struct types *ts;
	struct strbuf out;
	size_t limit;
	enum dlang_print_form form;
};

static bool name_of(void *ctx, uint64_t address, struct strbuf *out)
{
	(void)ctx;
	if (address != 0x4000)
		return false;
	strbuf_puts(out, "prog`main");
	return true;
}

static const char *print(struct rig *r, const struct type *t, const void *bytes,
			 size_t n)
{
	static struct content_plan plan;
	struct dlang_value v = {
		.bytes = bytes,
		.n = n,
		.limit = r->limit,
		.form = r->form,
		.symbol = name_of,
	};

	plan.type = t;
	map_set(&r->d->image->printed, 3, (uintptr_t)&plan);
	dlang_print(r->d, 3, &v, &r->out);
	return r->out.data;
}

static struct rig begin(void)
{
	static const struct dlang_env env = {0};
	struct rig r = {.d = dlang_new(&env), .limit = 8192};

	r.ts = types_of(r.d);
	return r;
}

static void end(struct rig *r)
{
	strbuf_release(&r->out);
	dlang_free(r->d);
}

static void test_scalars(void **state)
{
	static const struct {
		const char *type;
		uint64_t value;
		size_t size;
		const char *expected;
	} cases[] = {
		{"int", UINT32_MAX, 4, "int 0xffffffff\n"},
		{"unsigned int", 0x17, 4, "unsigned int 0x17\n"},
		{"int", 0, 4, "int 0\n"},
		{"uint64_t", UINT64_MAX, 8, "uint64_t 0xffffffffffffffff\n"},
		{"short", 0xfffe, 2, "short 0xfffe\n"},
		{"char", 'c', 1, "char 'c'\n"},
		{"char", 0, 1, "char '\\0'\n"},
		{"char", 4, 1, "char '\\004'\n"},
		{"char", 0xff, 1, "char '\\377'\n"},
		{"unsigned char", 'c', 1, "unsigned char 0x63\n"},
		{"float", 0x3fc00000, 4, "float +1.5000000e+00\n"},
		{"double", 0xc004000000000000, 8, "double -2.5000000e+00\n"},
	};
	struct rig r = begin();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(print(&r, type_find(r.ts, cases[i].type),
					  &cases[i].value, cases[i].size),
				    cases[i].expected);
	end(&r);
}

static void test_pointers(void **state)
{
	struct rig r = begin();
	const struct type *function = type_pointer(r.ts, r.ts->t_func);
	uint64_t known = 0x4000, unknown = 0x5000, null = 0;

	(void)state;
	assert_string_equal(print(&r, type_pointer(r.ts, r.ts->t_void), &unknown, 8),
			    "void * 0x5000\n");
	assert_string_equal(print(&r, type_pointer(r.ts, r.ts->t_int), &null, 8),
			    "int * 0\n");
	assert_non_null(strstr(print(&r, function, &known, 8), " prog`main\n"));
	assert_non_null(strstr(print(&r, function, &unknown, 8), " 0x5000\n"));
	end(&r);
}

static void test_arrays(void **state)
{
	struct rig r = begin();
	const struct type *ints = type_array(r.ts, r.ts->t_int, 3);
	const struct type *text = type_array(r.ts, r.ts->t_char, 5);
	const int32_t numbers[] = {1, 2, 3};

	(void)state;
	assert_string_equal(print(&r, ints, numbers, 12),
			    "int [3] [ 0x1, 0x2, 0x3 ]\n");
	assert_string_equal(print(&r, text, "ab\0xy", 5), "char [5] \"ab\"\n");
	assert_string_equal(print(&r, text, "abcde", 5), "char [5] \"abcde\"\n");
	assert_string_equal(print(&r, text, "\0\0\0\0", 5), "char [5] \"\"\n");
	assert_string_equal(print(&r, text, "\4\0\0\0", 5),
			    "char [5] [ '\\004', '\\0', '\\0', '\\0', '\\0' ]\n");
	assert_string_equal(print(&r, r.ts->t_string, "a\nb", 3),
			    "string \"a\\012b\"\n");
	assert_string_equal(print(&r, r.ts->t_string, "", 0), "string \"\"\n");
	/* Fewer bytes than the type has: only those. */
	assert_string_equal(print(&r, ints, numbers, 8), "int [3] [ 0x1, 0x2 ]\n");
	assert_string_equal(print(&r, ints, numbers, 0), "int [3] [ ]\n");
	end(&r);
}

static void test_enum(void **state)
{
	struct rig r = begin();
	struct type *e = type_tagged(r.ts, TYPE_ENUM, "enum simpson", true);
	struct type_member m = {.name = "homer", .value = -1};
	int32_t v;

	(void)state;
	type_add_member(r.ts, e, &m);
	m = (struct type_member){.name = "bart", .value = 7};
	type_add_member(r.ts, e, &m);
	e->is_complete = true;
	v = 7;
	assert_string_equal(print(&r, e, &v, 4), "enum simpson bart\n");
	v = -1;
	assert_string_equal(print(&r, e, &v, 4), "enum simpson homer\n");
	v = -5;
	assert_string_equal(print(&r, e, &v, 4), "enum simpson -5\n");
	end(&r);
}

static void add(struct rig *r, struct type *t, const char *name,
		const struct type *type, uint8_t nbits)
{
	struct type_member m = {.name = name, .type = type, .nbits = nbits};

	type_add_member(r->ts, t, &m);
}

static struct type *new_struct(struct rig *r, const char *name)
{
	return type_tagged(r->ts, TYPE_STRUCT, name, false);
}

/* The sample of the documentation. */
static void test_struct(void **state)
{
	static const char expected[] = "struct foo {\n"
				       "    int a :4 = 0x1\n"
				       "    void *b = 0x2\n"
				       "    struct c = {\n"
				       "        uint64_t alpha = 0x3\n"
				       "    }\n"
				       "    struct forward *f = 0x7\n"
				       "    char [30] h = [ \"ab\" ]\n"
				       "    char [3] d = [ '\\004', '\\0', '\\0' ]\n"
				       "    struct bar [2] e = [ \n"
				       "        struct bar {\n"
				       "            int alpha = 0x5\n"
				       "        }, \n"
				       "        struct bar {\n"
				       "            int alpha = 0x6\n"
				       "        }\n"
				       "    ]\n"
				       "}";
	struct __attribute__((aligned(8))) {
		int a;
		uint64_t b, c, f;
		char h[30], d[3];
		int e[2];
	} value = {0xff1, 2, 3, 7, "ab", "\4", {5, 6}};
	struct rig r = begin();
	struct type *foo = new_struct(&r, "struct foo"),
		    *c = new_struct(&r, "struct <anonymous>"),
		    *bar = new_struct(&r, "struct bar"),
		    *forward = new_struct(&r, "struct forward");

	(void)state;
	add(&r, c, "alpha", type_find(r.ts, "uint64_t"), 0);
	type_lay_out(r.ts, c);
	add(&r, bar, "alpha", r.ts->t_int, 0);
	type_lay_out(r.ts, bar);
	add(&r, foo, "a", r.ts->t_int, 4);
	add(&r, foo, "b", type_pointer(r.ts, r.ts->t_void), 0);
	add(&r, foo, "c", c, 0);
	add(&r, foo, "f", type_pointer(r.ts, forward), 0);
	add(&r, foo, "h", type_array(r.ts, r.ts->t_char, 30), 0);
	add(&r, foo, "d", type_array(r.ts, r.ts->t_char, 3), 0);
	add(&r, foo, "e", type_array(r.ts, bar, 2), 0);
	type_lay_out(r.ts, foo);
	assert_int_equal(foo->size, sizeof(value));
	assert_string_equal(print(&r, foo, &value, sizeof(value)), expected);
	assert_string_equal(print(&r, forward, &value, 0),
			    "struct forward <forward decl>\n");
	end(&r);
}

static void test_natural(void **state)
{
	static const struct {
		const char *type, *alias; /* alias NULL: none */
		uint64_t value;
		size_t size;
		const char *text, *json;
	} cases[] = {
		{"int", NULL, UINT32_MAX, 4, "int -1\n", "-1"},
		{"unsigned int", NULL, UINT32_MAX, 4, "unsigned int 4294967295\n",
		 "4294967295"},
		{"short", NULL, 0x8000, 2, "short -32768\n", "-32768"},
		{"long", NULL, INT64_MAX, 8, "long 9223372036854775807\n",
		 "9223372036854775807"},
		{"long", NULL, 1ull << 63, 8, "long -9223372036854775808\n",
		 "-9223372036854775808"},
		{"uint64_t", NULL, INT64_MAX, 8, "uint64_t 9223372036854775807\n",
		 "9223372036854775807"},
		{"uint64_t", NULL, 1ull << 63, 8, "uint64_t 9223372036854775808\n",
		 "\"9223372036854775808\""},
		{"char", NULL, 'c', 1, "char 'c'\n", "\"'c'\""},
		{"int8_t", NULL, 0xfe, 1, "int8_t -2\n", "-2"},
		{"signed char", NULL, 0x80, 1, "signed char -128\n", "-128"},
		{"char", "i8", 0xff, 1, "i8 -1\n", "-1"},
		{"unsigned char", NULL, 200, 1, "unsigned char 200\n", "200"},
		{"unsigned char", "bool", 1, 1, "bool true\n", "true"},
		{"unsigned char", "bool", 2, 1, "bool 2\n", "2"},
		{"unsigned int", "char", 'q', 4, "char 'q'\n", "\"'q'\""},
		{"unsigned int", "char32_t", 0x20ac, 4, "char32_t '\\u{20ac}'\n",
		 "\"'\\\\u{20ac}'\""},
		{"int", "wchar_t", 0x1b, 4, "wchar_t '\\033'\n", "\"'\\\\033'\""},
		{"float", NULL, 0x3dcccccd, 4, "float 0.1\n", "0.1"},
		{"double", NULL, 0x3fb999999999999a, 8, "double 0.1\n", "0.1"},
		{"double", NULL, 0x3fd3333333333334, 8, "double 0.30000000000000004\n",
		 "0.30000000000000004"},
		{"double", NULL, 0x7ff8000000000000, 8, "double nan\n", "\"nan\""},
	};
	struct rig r = begin();
	char json[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct type *t = type_find(r.ts, cases[i].type);

		if (cases[i].alias)
			t = type_alias(r.ts, cases[i].alias, t);
		r.form = DLANG_PRINT_NATURAL;
		assert_string_equal(print(&r, t, &cases[i].value, cases[i].size),
				    cases[i].text);
		r.form = DLANG_PRINT_JSON;
		snprintf(json, sizeof(json), "{\"type\":\"%s\",\"value\":%s}",
			 cases[i].alias ? cases[i].alias : cases[i].type,
			 cases[i].json);
		assert_string_equal(print(&r, t, &cases[i].value, cases[i].size), json);
	}
	end(&r);
}

/* Integers of 16 bytes. */
static void test_wide(void **state)
{
	static const struct {
		uint64_t words[2];
		bool is_signed;
		const char *classic, *natural;
	} cases[] = {
		{{0, 0}, true, "w 0\n", "w 0\n"},
		{{5, 0}, false, "w 0x5\n", "w 5\n"},
		{{UINT64_MAX, UINT64_MAX},
		 true,
		 "w 0xffffffffffffffffffffffffffffffff\n",
		 "w -1\n"},
		{{UINT64_MAX, UINT64_MAX},
		 false,
		 "w 0xffffffffffffffffffffffffffffffff\n",
		 "w 340282366920938463463374607431768211455\n"},
		{{0, 1ull << 63},
		 true,
		 "w 0x80000000000000000000000000000000\n",
		 "w -170141183460469231731687303715884105728\n"},
		{{7, 1}, true, "w 0x10000000000000007\n", "w 18446744073709551623\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig r = begin();
		const struct type *t = type_wide(r.ts, "w", cases[i].is_signed);

		assert_string_equal(print(&r, t, cases[i].words, 16), cases[i].classic);
		r.form = DLANG_PRINT_NATURAL;
		assert_string_equal(print(&r, t, cases[i].words, 16), cases[i].natural);
		end(&r);
	}
}

/* struct bits { int a : 4; enum e { ON = -1 } b : 2; } */
static void test_natural_bits(void **state)
{
	struct rig r = begin();
	struct type *s = new_struct(&r, "struct bits"),
		    *e = type_tagged(r.ts, TYPE_ENUM, "enum e", true);
	struct type_member m = {.name = "ON", .value = -1};
	uint32_t value = 0x3d;

	(void)state;
	type_add_member(r.ts, e, &m);
	e->is_complete = true;
	add(&r, s, "a", r.ts->t_int, 4);
	add(&r, s, "b", e, 2);
	type_lay_out(r.ts, s);
	assert_string_equal(print(&r, s, &value, 4), "struct bits {\n"
						     "    int a :4 = 0xd\n"
						     "    enum e b :2 = 0x3\n"
						     "}");
	r.form = DLANG_PRINT_NATURAL;
	assert_string_equal(print(&r, s, &value, 4), "struct bits {\n"
						     "    int a :4 = -3\n"
						     "    enum e b :2 = ON\n"
						     "}");
	r.form = DLANG_PRINT_JSON;
	assert_string_equal(
		print(&r, s, &value, 4),
		"{\"type\":\"struct bits\",\"value\":{\"a\":-3,\"b\":\"ON\"}}");
	end(&r);
}

static void add_variant(struct rig *r, struct type *t, const char *name,
			const struct type *type, const int64_t *value)
{
	struct type_member m = {.name = name,
				.type = type,
				.is_rest = !value,
				.value = value ? *value : 0};

	type_add_variant(r->ts, t, &m);
}

/* A discriminant of 2 bytes: -1 is Pair, 5 Named, 9 Unit. */
static struct type *make_variants(struct rig *r, bool has_rest)
{
	static struct type_variants variants;
	static const int64_t pair = -1, named = 5, unit = 9;
	struct type *t = new_struct(r, "struct Choice"),
		    *values[3] = {new_struct(r, "struct Pair"),
				  new_struct(r, "struct Named"),
				  new_struct(r, "struct Unit")};
	const struct type *word = type_find(r->ts, "short");

	for (size_t i = 0; i < 2; i++) {
		add(r, values[i], "", word, 16);
		add(r, values[i], i ? "x" : "__0", word, 0);
		add(r, values[i], i ? "y" : "__1", word, 0);
		type_lay_out(r->ts, values[i]);
		/* in place of the discriminant */
		values[i]->members = values[i]->members->next;
	}
	values[2]->is_complete = true;
	variants = (struct type_variants){.size = 2};
	t->variants = &variants;
	t->size = 6;
	t->is_complete = true;
	add_variant(r, t, "Pair", values[0], &pair);
	add_variant(r, t, "Named", values[1], &named);
	add_variant(r, t, "Unit", values[2], has_rest ? NULL : &unit);
	return t;
}

static void test_variants(void **state)
{
	static const struct {
		int16_t words[3];
		size_t n;
		bool has_rest;
		const char *text, *json;
	} cases[] = {
		{{-1, 2, -3}, 6, false, "Pair(2, -3)", "{\"Pair\":[2,-3]}"},
		{{5, 2, -3},
		 6,
		 false,
		 "Named{x: 2, y: -3}",
		 "{\"Named\":{\"x\":2,\"y\":-3}}"},
		{{9}, 6, false, "Unit", "\"Unit\""},
		{{7}, 6, true, "Unit", "\"Unit\""},
		{{7},
		 6,
		 false,
		 "<no variant has the discriminant 7>",
		 "\"<no variant has the discriminant 7>\""},
		/* fewer bytes than the type has */
		{{5, 2}, 4, false, "<outside>", "\"<outside>\""},
		{{5},
		 1,
		 true,
		 "<no variant has the discriminant 0>",
		 "\"<no variant has the discriminant 0>\""},
	};
	char expected[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig r = begin();
		const struct type *t = make_variants(&r, cases[i].has_rest);

		r.form = DLANG_PRINT_NATURAL;
		snprintf(expected, sizeof(expected), "struct Choice %s\n",
			 cases[i].text);
		assert_string_equal(print(&r, t, cases[i].words, cases[i].n), expected);
		r.form = DLANG_PRINT_JSON;
		snprintf(expected, sizeof(expected),
			 "{\"type\":\"struct Choice\",\"value\":%s}", cases[i].json);
		assert_string_equal(print(&r, t, cases[i].words, cases[i].n), expected);
		end(&r);
	}
}

/* Bytes that are no text, anonymous members, and more than the limit. */
static void test_json(void **state)
{
	struct rig r = begin();
	struct type *s = new_struct(&r, "struct s"),
		    *inner = new_struct(&r, "struct <anonymous>");
	const int32_t numbers[] = {1, -2, 3};
	const struct type *ints = type_array(r.ts, r.ts->t_int, 3);

	(void)state;
	r.form = DLANG_PRINT_JSON;
	add(&r, inner, "a", r.ts->t_int, 0);
	add(&r, inner, "b", r.ts->t_int, 0);
	type_lay_out(r.ts, inner);
	add(&r, s, "", inner, 0);
	add(&r, s, "c", r.ts->t_int, 0);
	type_lay_out(r.ts, s);
	assert_string_equal(
		print(&r, s, numbers, 12),
		"{\"type\":\"struct s\",\"value\":{\"a\":1,\"b\":-2,\"c\":3}}");
	assert_string_equal(print(&r, ints, numbers, 12),
			    "{\"type\":\"int [3]\",\"value\":[1,-2,3]}");
	assert_string_equal(print(&r, type_array(r.ts, inner, 1), numbers, 8),
			    "{\"type\":\"struct [1]\",\"value\":[{\"a\":1,\"b\":-2}]}");
	assert_string_equal(print(&r, r.ts->t_string, "\"\\\1\xff\\x\xc3\xa9", 8),
			    "{\"type\":\"string\",\"value\":"
			    "\"\\\"\\\\\\u0001\\\\xff\\\\x5cx\xc3\xa9\"}");
	r.limit = 30;
	assert_string_equal(print(&r, ints, numbers, 12),
			    "{\"type\":\"int [3]\",\"value\":[1,-2],\"cut\":true}");
	end(&r);
}

/* Members that lie outside, and a struct that is a member of itself. */
static void test_hostile(void **state)
{
	struct rig r = begin();
	struct type *s = new_struct(&r, "struct s"), *deep = new_struct(&r, "struct d");
	struct type_member m = {.name = "x", .type = r.ts->t_int, .offset = 100};
	uint64_t value = 5;
	const char *text;

	(void)state;
	type_add_member(r.ts, s, &m);
	m = (struct type_member){
		.name = "y", .type = r.ts->t_int, .offset = UINT64_MAX - 1};
	type_add_member(r.ts, s, &m);
	s->size = 8;
	s->is_complete = true;
	assert_string_equal(print(&r, s, &value, 8), "struct s {\n"
						     "    int x = <outside>\n"
						     "    int y = <outside>\n"
						     "}");
	m = (struct type_member){.name = "d", .type = deep};
	type_add_member(r.ts, deep, &m);
	type_add_member(r.ts, deep, &m);
	deep->size = 8;
	deep->is_complete = true;
	text = print(&r, deep, &value, 8);
	assert_int_equal(strlen(text), r.limit + strlen("...\n"));
	assert_string_equal(text + r.limit, "...\n");
	end(&r);
}

static void test_limit(void **state)
{
	struct rig r = begin();
	int v = 5;

	(void)state;
	r.limit = 7;
	assert_string_equal(print(&r, r.ts->t_int, &v, 4), "int 0x5\n");
	r.limit = 6;
	assert_string_equal(print(&r, r.ts->t_int, &v, 4), "int 0x...\n");
	r.limit = 0;
	assert_string_equal(print(&r, r.ts->t_int, &v, 4), "...\n");
	/* No print() action has this number. */
	dlang_print(r.d, 99, &(struct dlang_value){0}, &r.out);
	assert_string_equal(r.out.data, "");
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scalars),	 cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_arrays),	 cmocka_unit_test(test_enum),
		cmocka_unit_test(test_struct),	 cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_limit),	 cmocka_unit_test(test_natural),
		cmocka_unit_test(test_wide),	 cmocka_unit_test(test_natural_bits),
		cmocka_unit_test(test_variants), cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
