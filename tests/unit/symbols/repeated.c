/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elf/repeated.h"
#include "vm/base/host/oom.h"

#define FUNC   ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
#define WEAK   ELF64_ST_INFO(STB_WEAK, STT_FUNC)
#define STATIC ELF64_ST_INFO(STB_LOCAL, STT_FUNC)
#define CODE   1
#define MOST   4

struct row {
	const char *name;
	unsigned char info;
	uint16_t section;
	uint64_t value, size;
};

static struct elf_symbols make(const struct row *rows, size_t n)
{
	struct elf_symbols t = {.data = oom_calloc(n + 1, sizeof(*t.data)), .len = n};

	t.names_size = 1;
	for (size_t i = 0; i < n; i++)
		t.names_size += strlen(rows[i].name) + 1;
	t.names = oom_calloc(t.names_size + 1, 1);
	for (size_t i = 0, at = 1; i < n; at += strlen(rows[i].name) + 1, i++) {
		t.data[i] = (Elf64_Sym){.st_name = (Elf64_Word)at,
					.st_info = rows[i].info,
					.st_shndx = rows[i].section,
					.st_value = rows[i].value,
					.st_size = rows[i].size};
		strcpy(t.names + at, rows[i].name);
	}
	return t;
}

static size_t count(const struct row *rows)
{
	size_t n = 0;

	while (n < MOST && rows[n].name)
		n++;
	return n;
}

static void test_rows(void **state)
{
	static const struct {
		struct row dynamic[MOST], full[MOST];
		const char *left[MOST]; /* names of dynamic */
	} cases[] = {
		{{{"f", FUNC, CODE, 16, 4}}, {{"f", FUNC, CODE, 16, 4}}, {""}},
		{{{"f", FUNC, CODE, 16, 4}}, {{"f@@V2", FUNC, CODE, 16, 4}}, {""}},
		{{{"f", FUNC, CODE, 16, 4}}, {{"f@V1", FUNC, CODE, 16, 4}}, {""}},
		{{{"@", FUNC, CODE, 16, 4}}, {{"@", FUNC, CODE, 16, 4}}, {""}},
		/* it differs in one thing */
		{{{"f", FUNC, CODE, 16, 4}}, {{"ff", FUNC, CODE, 16, 4}}, {"f"}},
		{{{"ff", FUNC, CODE, 16, 4}}, {{"f", FUNC, CODE, 16, 4}}, {"ff"}},
		{{{"f", FUNC, CODE, 16, 4}}, {{"f", WEAK, CODE, 16, 4}}, {"f"}},
		{{{"f", FUNC, CODE, 16, 4}}, {{"f", FUNC, CODE, 17, 4}}, {"f"}},
		{{{"f", FUNC, CODE, 16, 4}}, {{"f", FUNC, CODE, 16, 5}}, {"f"}},
		{{{"f", FUNC, CODE, 16, 4}}, {{"f", FUNC, SHN_UNDEF, 16, 4}}, {"f"}},
		{{{"f", FUNC, SHN_UNDEF, 0, 0}}, {{"f", FUNC, SHN_UNDEF, 0, 0}}, {"f"}},
		{{{"f", STATIC, CODE, 16, 4}}, {{"f", STATIC, CODE, 16, 4}}, {"f"}},
		/* some of several, in another order */
		{{{"a", FUNC, CODE, 1, 1},
		  {"b", FUNC, CODE, 2, 1},
		  {"c", FUNC, CODE, 3, 1}},
		 {{"c", FUNC, CODE, 3, 1},
		  {"x", FUNC, CODE, 2, 1},
		  {"a", FUNC, CODE, 1, 1}},
		 {"", "b", ""}},
		{{{"long name", FUNC, CODE, 1, 1},
		  {"", FUNC, CODE, 2, 1},
		  {"u", FUNC, 0, 0, 0}},
		 {{"long name", FUNC, CODE, 1, 1}},
		 {"", "", "u"}},
		/* no other table */
		{{{"f", FUNC, CODE, 16, 4}, {"g", FUNC, CODE, 20, 4}},
		 {{0}},
		 {"f", "g"}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const size_t n = count(cases[i].dynamic);
		struct elf_symbols dynamic = make(cases[i].dynamic, n);
		struct elf_symbols full = make(cases[i].full, count(cases[i].full));
		const size_t before = dynamic.names_size;

		elf_symbols_drop_repeated(&dynamic, &full);
		for (size_t k = 0; k < n; k++)
			assert_string_equal(elf_symbol_name(&dynamic, k),
					    cases[i].left[k]);
		assert_true(dynamic.names_size <= before);
		assert_int_equal(dynamic.len, n);
		assert_int_equal(dynamic.data[0].st_value, cases[i].dynamic[0].value);
		elf_symbols_release(&dynamic);
		elf_symbols_release(&full);
	}
}

/* Names within each other: apart they would take more memory, so all stay. */
static void test_overlapping(void **state)
{
	static const struct row one = {"abcdefgh", FUNC, CODE, 1, 1};
	struct elf_symbols dynamic = make(&one, 1), full = make(&one, 1);

	(void)state;
	free(dynamic.data);
	dynamic.len = 8;
	dynamic.data = oom_calloc(dynamic.len, sizeof(*dynamic.data));
	for (Elf64_Word i = 0; i < 8; i++)
		dynamic.data[i] = (Elf64_Sym){.st_name = 1 + i,
					      .st_info = FUNC,
					      .st_shndx = CODE,
					      .st_value = 1,
					      .st_size = 1};
	elf_symbols_drop_repeated(&dynamic, &full);
	assert_string_equal(elf_symbol_name(&dynamic, 0), "abcdefgh");
	assert_string_equal(elf_symbol_name(&dynamic, 7), "h");
	elf_symbols_release(&dynamic);
	elf_symbols_release(&full);
}

/* A name that is outside of the table, and a table in which all is one symbol. */
static void test_hostile(void **state)
{
	enum { N = 100000 };
	struct elf_symbols dynamic, full;
	struct row *rows = oom_calloc(N, sizeof(*rows));

	(void)state;
	for (size_t i = 0; i < N; i++)
		rows[i] = (struct row){"same", FUNC, CODE, 1, 1};
	full = make(rows, N);
	for (size_t i = 0; i < N; i++)
		rows[i].size = 2;
	dynamic = make(rows, N);
	dynamic.data[0].st_name = UINT32_MAX;
	elf_symbols_drop_repeated(&dynamic, &full);
	assert_string_equal(elf_symbol_name(&dynamic, 0), "");
	assert_string_equal(elf_symbol_name(&dynamic, N - 1), "same");
	dynamic.data[N - 1].st_size = 1;
	elf_symbols_drop_repeated(&dynamic, &full);
	assert_string_equal(elf_symbol_name(&dynamic, N - 1), "");
	assert_string_equal(elf_symbol_name(&dynamic, 0), "");
	elf_symbols_release(&dynamic);
	elf_symbols_release(&full);
	free(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_overlapping),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
