/* SPDX-License-Identifier: MIT */
/*
 * The exits of all functions of the C library, by several threads and from what was kept:
 * the same as a scan of each function finds in memory, or not known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/support/symbols_build.h"
#include "tracer/exits/exits.h"
#include "tracer/exits/table.h"
#include "tracer/plancache/plancache.h"
#include "vm/base/host/vec.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct tracer tracer;

/* This process's C library. */
struct library {
	struct modules *modules;
	struct module *module;
	struct exits_functions functions;
};

static void add(void *ctx, const struct symbol *sym)
{
	struct exits_functions *functions = ctx;

	if (sym->is_ifunc)
		return;
	functions->bytes += sym->size;
	*vec_push(functions) = sym;
}

static void choose(void *ctx, struct module *m)
{
	((struct library *)ctx)->module = m;
}

static void open_library(struct library *l)
{
	struct err e;

	*l = (struct library){0};
	assert_int_equal(modules_read(getpid(), &l->modules, &e), 0);
	assert_int_equal(modules_select(l->modules, "libc.so.6", choose, l), 1);
	assert_int_equal(module_load_symbols(l->module, &e), 0);
	module_match(l->module, "*", add, &l->functions);
	assert_true(l->functions.len > 1000);
}

static void close_library(struct library *l)
{
	vec_release(&l->functions);
	modules_free(l->modules);
}

/* Of all functions. */
static struct exits *find(const struct library *l)
{
	return exits_find(&tracer, l->module, &l->functions);
}

struct found {
	uint32_t *data;
	size_t len, cap;
};

static void note(void *ctx, const struct scan_site *site)
{
	*vec_push((struct found *)ctx) = site->offset;
}

/* A copy of a part in memory, and the request to scan it. */
struct part {
	const struct symbol *symbol;
	struct addr_range all[EXITS_PARTS_MAX], ordered[EXITS_PARTS_MAX];
	uint8_t *bytes;
	struct found found;
	struct scan_request req;
};

static size_t read_part(const struct library *l, const struct symbol *sym,
			size_t number, struct part *p)
{
	size_t n = exits_ranges(l->module, sym, p->all), size;

	p->symbol = sym;
	exits_order(p->all, n, number, p->ordered);
	size = (size_t)(p->ordered[0].hi.v - p->ordered[0].lo.v);
	p->bytes = calloc(1, size + INSN_ROOM);
	/* this process's own memory */
	memcpy(p->bytes, (const void *)(uintptr_t)p->ordered[0].lo.v, size);
	p->found = (struct found){0};
	p->req = (struct scan_request){.bytes = p->bytes,
				       .n = size,
				       .ranges = p->ordered,
				       .nranges = n,
				       .site = note,
				       .ctx = &p->found,
				       .exits_only = true,
				       .room = size + INSN_ROOM};
	return n;
}

static void release_part(struct part *p)
{
	vec_release(&p->found);
	free(p->bytes);
}

/* Whether they are known. If so, they are what a scan finds. */
static bool compare_part(struct exits *x, struct part *p)
{
	const uint32_t *offsets;
	uint32_t bad;
	size_t n;

	if (!exits_of(x, p->symbol, &p->req, &offsets, &n))
		return false;
	assert_int_equal(scan_function(&p->req, &bad), 0);
	assert_int_equal(p->found.len, n);
	if (n)
		assert_memory_equal(p->found.data, offsets, n * sizeof(*offsets));
	return true;
}

/* How many of all parts are known. */
static size_t compare(const struct library *l, struct exits *x, size_t *nparts)
{
	size_t known = 0;

	*nparts = 0;
	for (size_t i = 0; i < l->functions.len; i++) {
		struct part p;
		size_t n = 1;

		for (size_t k = 0; k < n; k++) {
			n = read_part(l, l->functions.data[i], k, &p);
			known += compare_part(x, &p);
			++*nparts;
			release_part(&p);
		}
	}
	return known;
}

static void test_found(void **state)
{
	struct library l;
	size_t known, nparts;
	struct exits *x;

	(void)state;
	open_library(&l);
	x = find(&l);
	assert_non_null(x);
	known = compare(&l, x, &nparts);
	assert_true(known > nparts - nparts / 20);
	exits_free(x);
	close_library(&l);
}

/* Memory that is not as the file, ranges that others have, a scan for all instructions. */
static void test_other_bytes(void **state)
{
	const uint32_t *offsets;
	struct library l;
	struct exits *x;
	struct part p;
	size_t n;

	(void)state;
	open_library(&l);
	x = find(&l);
	read_part(&l, module_find(l.module, "qsort"), 0, &p);
	assert_true(exits_of(x, p.symbol, &p.req, &offsets, &n));
	assert_false(exits_of(NULL, p.symbol, &p.req, &offsets, &n));
	for (size_t i = 0; i < p.req.n; i++) {
		p.bytes[i] ^= 0x40;
		assert_false(exits_of(x, p.symbol, &p.req, &offsets, &n));
		p.bytes[i] ^= 0x40;
	}
	p.req.exits_only = false;
	assert_false(exits_of(x, p.symbol, &p.req, &offsets, &n));
	p.req.exits_only = true;
	p.ordered[0].hi.v++;
	assert_false(exits_of(x, p.symbol, &p.req, &offsets, &n));
	release_part(&p);
	exits_free(x);
	close_library(&l);
}

/* A few functions are scanned one by one; nothing is found when tracing is to end. */
static void test_few(void **state)
{
	static volatile sig_atomic_t interrupts = 1;
	struct exits_functions few = {0};
	struct library l;

	(void)state;
	open_library(&l);
	assert_null(exits_find(&tracer, l.module, &few));
	add(&few, module_find(l.module, "qsort"));
	assert_null(exits_find(&tracer, l.module, &few));
	tracer.interrupts = &interrupts;
	assert_null(find(&l));
	tracer.interrupts = NULL;
	vec_release(&few);
	close_library(&l);
}

/* The table that is kept of the module; it is empty if there is none. */
static void read_kept(const struct library *l, struct exits_table *table)
{
	struct strbuf bytes = {0};

	*table = (struct exits_table){0};
	if (plancache_read_exits(tracer.plancache, l->module, &bytes))
		assert_true(exits_table_read(table, &bytes));
}

static void write_kept(const struct library *l, const struct exits_table *table)
{
	struct strbuf bytes = {0};

	exits_table_write(table, &bytes);
	plancache_write_exits(tracer.plancache, l->module, &bytes);
	strbuf_release(&bytes);
}

static size_t find_again(const struct library *l, size_t *nparts)
{
	struct exits *x = find(l);
	size_t known = compare(l, x, nparts);

	exits_free(x);
	return known;
}

/* Kept exits are used; those that are wrong are not, and what has them is removed. */
static void test_kept(void **state)
{
	struct exits_table first, table;
	size_t known, nparts;
	struct library l;

	(void)state;
	setenv("XDG_CACHE_HOME", work_dir, 1);
	tracer.plancache = plancache_new();
	open_library(&l);
	exits_free(find(&l)); /* all are found, asked for or not */
	read_kept(&l, &first);
	known = find_again(&l, &nparts);
	assert_true(first.parts.len >= known && known > nparts - nparts / 20);
	assert_int_equal(find_again(&l, &nparts), known);
	read_kept(&l, &table); /* the same */
	assert_int_equal(table.parts.len, first.parts.len);

	table.parts.len /= 2; /* a half is found anew, and kept with the others */
	write_kept(&l, &table);
	assert_int_equal(find_again(&l, &nparts), known);
	exits_table_release(&table);
	read_kept(&l, &table);
	assert_int_equal(table.parts.len, first.parts.len);

	for (size_t i = 0; i < table.parts.len; i++)
		if (table.parts.data[i].n) /* an exit, or the function's first one */
			table.exits.data[table.parts.data[i].first] = 0;
	write_kept(&l, &table);
	assert_true(find_again(&l, &nparts) < known);
	exits_table_release(&table);
	read_kept(&l, &table);
	assert_int_equal(table.parts.len, 0);
	exits_table_release(&first);
	close_library(&l);
	plancache_free(tracer.plancache);
	tracer.plancache = NULL;
}

/* Two parts at one place, one elsewhere. */
static void fill(struct exits_table *t)
{
	const struct exits_part parts[] = {
		{0x3000, 1, 11, 0, 1}, {0x1000, 5, 12, 0, 2}, {0x1000, 4, 13, 0, 0}};

	for (uint32_t i = 0; i < ARRAY_LEN(parts); i++) {
		for (uint32_t k = 0; k < parts[i].n; k++)
			*vec_push(&t->exits) = 100 * i + k;
		exits_table_add(t, parts[i]);
	}
	exits_table_sort(t);
}

/* Found in any order, as functions and their unlikely parts in turn. */
static void test_table_next(void **state)
{
	const uint64_t n = 50;
	struct exits_table t = {0};

	(void)state;
	for (uint64_t i = 0; i < 2 * n; i++) {
		*vec_push(&t.exits) = (uint32_t)i;
		exits_table_add(&t, (struct exits_part){16 * i, 1, i, 0, 1});
	}
	exits_table_sort(&t);
	for (uint64_t i = 0; i < 6 * n; i++) {
		uint64_t at = i < 2 * n ? i % 2 * n + i / 2 : i * 37 % (2 * n);
		const struct exits_part wanted = {16 * at, 1 + i / (5 * n), 0, 0, 0};
		const struct exits_part *part = exits_table_get_next(&t, &wanted);

		assert_ptr_equal(part, exits_table_get(&t, &wanted));
		assert_int_equal(part != NULL, i < 5 * n);
	}
	exits_table_release(&t);
	assert_null(exits_table_get_next(&t, &(struct exits_part){0, 1, 0, 0, 0}));
}

static void test_table(void **state)
{
	struct exits_table t = {0}, again = {0};
	const struct exits_part *part;
	struct strbuf bytes = {0}, copy = {0};

	(void)state;
	fill(&t);
	exits_table_write(&t, &copy);
	assert_true(exits_table_read(&again, &copy));
	exits_table_write(&t, &bytes);
	exits_table_join(&again, &t);
	exits_table_sort(&again);
	assert_int_equal(again.parts.len, 6);
	part = exits_table_get(&again, &(struct exits_part){0x1000, 5, 0, 0, 0});
	assert_non_null(part);
	assert_int_equal(part->sum, 12);
	assert_int_equal(again.exits.data[part->first], 100);
	assert_null(exits_table_get(&again, &(struct exits_part){0x1000, 6, 0, 0, 0}));
	assert_null(exits_table_get(&again, &(struct exits_part){0x2000, 5, 0, 0, 0}));
	exits_table_release(&again);
	/* every cut, and every byte changed: what is got is in the table */
	for (size_t at = 0; at < 2 * bytes.len; at++) {
		struct strbuf bad = {0};

		strbuf_add(&bad, bytes.data, at < bytes.len ? at : bytes.len);
		if (at >= bytes.len)
			bad.data[at - bytes.len] ^= (char)0x81;
		exits_table_read(&again, &bad);
		for (size_t i = 0; i < again.parts.len; i++) {
			part = exits_table_get(&again, &again.parts.data[i]);
			assert_true(!part ||
				    part->first + (uint64_t)part->n <= again.exits.len);
		}
		exits_table_release(&again);
	}
	strbuf_release(&bytes);
	exits_table_release(&t);
}

/* Each byte counts, and how many there are. */
static void test_sum(void **state)
{
	uint8_t bytes[100] = {0};
	struct scan_request req = {.bytes = bytes};
	uint64_t last = 0;

	(void)state;
	for (req.n = 0; req.n <= sizeof(bytes); req.n++) {
		uint64_t sum = exits_sum(&req);

		assert_true(sum != last);
		last = sum;
		for (size_t i = 0; i < req.n; i++) {
			bytes[i] = 0x80;
			assert_true(exits_sum(&req) != sum);
			bytes[i] = 0;
		}
		assert_true(exits_sum(&req) == sum);
	}
}

/* The highest bits of two words that are in one sum. */
static void test_sum_of_two(void **state)
{
	uint8_t bytes[96] = {0};
	struct scan_request req = {.bytes = bytes, .n = sizeof(bytes)};
	uint64_t sum = exits_sum(&req);

	(void)state;
	for (size_t i = 7; i < sizeof(bytes); i += 8)
		for (size_t k = i + 8; k < sizeof(bytes); k += 8) {
			bytes[i] = bytes[k] = 0x80;
			assert_true(exits_sum(&req) != sum);
			bytes[i] = bytes[k] = 0;
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_other_bytes),
		cmocka_unit_test(test_few),
		cmocka_unit_test_setup_teardown(test_kept, work_dir_make,
						work_dir_remove),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_table_next),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_sum_of_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
