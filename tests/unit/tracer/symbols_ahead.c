/* SPDX-License-Identifier: MIT */
/*
 * The functions of this process's own objects, loaded ahead by helpers: they are those
 * that this thread loads, and what helpers cannot load well is left to it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "symbols/limits.h"
#include "symbols/symbols.h"
#include "tracer/files/symbols_ahead.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupts;
static struct tracer tracer = {.interrupts = &interrupts};
static size_t nreports, nrooms;

static void report(void *ctx, const char *text)
{
	(void)ctx;
	(void)text;
	nreports++;
}

static void make_room(void *ctx)
{
	(void)ctx;
	nrooms++;
	symbols_ahead_stop(tracer.symbols_ahead);
}

static void limit(uint64_t bytes)
{
	symbols_set_limits(&(struct symbols_limits){
		.bytes = bytes, .make_room = make_room, .report = report});
	nreports = 0;
}

static bool is_libc(const struct module *m)
{
	return strcmp(m->name, "libc.so.6") == 0;
}

static bool is_none(const struct module *m)
{
	(void)m;
	return false;
}

static struct modules *read_modules(void)
{
	struct modules *ms;
	struct err e;

	assert_int_equal(modules_read(getpid(), &ms, &e), 0);
	return ms;
}

/* Skips the test where no helper begins. */
static struct symbols_ahead *begin(const struct modules *ms,
				   bool (*is_left_out)(const struct module *m))
{
	const struct symbols_choice all = {ms, "", is_left_out};
	cpu_set_t allowed;

	symbols_ahead_begin(&tracer, &all);
	if (tracer.symbols_ahead)
		return tracer.symbols_ahead;
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	assert_int_equal(CPU_COUNT(&allowed), 1);
	print_message("one processor: nothing is loaded ahead\n");
	skip();
	return NULL;
}

static void assert_same(const struct module *x, const struct module *y)
{
	assert_int_equal(x->nsymbols, y->nsymbols);
	assert_int_equal(x->nparts, y->nparts);
	assert_int_equal(x->source, y->source);
	assert_int_equal(x->build_id_size, y->build_id_size);
	for (size_t i = 0; i < x->nsymbols; i++) {
		assert_int_equal(x->symbols[i].value, y->symbols[i].value);
		assert_int_equal(x->symbols[i].size, y->symbols[i].size);
		assert_string_equal(x->symbols[i].name, y->symbols[i].name);
	}
}

/* Waits until a helper has loaded all that it can, so that take() finds it. */
static size_t take_from_last(struct symbols_ahead *a, const struct modules *ms)
{
	size_t n = 0;

	usleep(100000);
	for (size_t i = ms->len; i-- > 0;)
		n += symbols_ahead_take(a, ms->data[i]);
	return n;
}

static void test_same(void **state)
{
	struct modules *ahead = read_modules(), *alone = read_modules();
	struct symbols_ahead *a;
	struct err e;
	size_t n;

	(void)state;
	limit(0);
	a = begin(ahead, is_none);
	n = take_from_last(a, ahead);
	assert_true(n >= 1);
	symbols_ahead_end(&tracer);
	for (size_t i = 0; i < alone->len; i++) {
		struct module *m = ahead->data[i];

		assert_int_equal(module_load_symbols(m, &e),
				 module_load_symbols(alone->data[i], &e));
		assert_same(m, alone->data[i]);
		assert_int_equal(module_find(m, "malloc") != NULL,
				 module_find(alone->data[i], "malloc") != NULL);
	}
	modules_free(ahead);
	modules_free(alone);
}

/* In order, without a pause: some are taken from helpers, some loaded here. */
static void test_in_order(void **state)
{
	struct modules *ms = read_modules();
	struct symbols_ahead *a;
	struct err e;

	(void)state;
	limit(0);
	a = begin(ms, is_none);
	for (size_t i = 0; i < ms->len; i++) {
		if (!symbols_ahead_take(a, ms->data[i]))
			assert_int_equal(module_load_symbols(ms->data[i], &e), 0);
		assert_true(ms->data[i]->nsymbols > 0);
		assert_false(symbols_ahead_take(a, ms->data[i]));
	}
	symbols_ahead_end(&tracer);
	modules_free(ms);
}

static void test_left_out(void **state)
{
	struct modules *ms = read_modules();
	struct symbols_ahead *a;

	(void)state;
	limit(0);
	a = begin(ms, is_libc);
	usleep(50000);
	for (size_t i = 0; i < ms->len; i++)
		if (is_libc(ms->data[i]))
			assert_false(symbols_ahead_take(a, ms->data[i]));
	symbols_ahead_end(&tracer);
	assert_null(tracer.symbols_ahead);
	symbols_ahead_end(&tracer);
	modules_free(ms);
}

/* A helper reports nothing and gives nothing that is incomplete. */
static void test_limit(void **state)
{
	struct modules *ms = read_modules();
	struct symbols_ahead *a;
	struct err e;

	(void)state;
	limit(1 << 16);
	a = begin(ms, is_none);
	for (size_t i = 0; i < ms->len; i++) {
		size_t before = nreports;

		usleep(5000);
		if (ms->data[i]->is_vdso || !is_libc(ms->data[i]))
			continue;
		assert_false(symbols_ahead_take(a, ms->data[i]));
		assert_int_equal(nreports, before);
		module_load_symbols(ms->data[i], &e);
		assert_true(nreports > before);
	}
	symbols_ahead_end(&tracer);
	modules_free(ms);
	limit(0);
}

/* What was read ahead makes room for what this thread reads. */
static void test_room(void **state)
{
	struct modules *ms = read_modules(), *other = read_modules();
	struct symbols_ahead *a;
	struct err e;
	size_t n = 0;

	(void)state;
	limit(1 << 20);
	a = begin(ms, is_none);
	nrooms = 0;
	for (size_t i = 0; i < other->len; i++)
		module_load_symbols(other->data[i], &e);
	assert_true(nrooms > 0);
	for (size_t i = 0; i < ms->len; i++)
		n += symbols_ahead_take(a, ms->data[i]);
	assert_int_equal(n, 0);
	symbols_ahead_end(&tracer);
	modules_free(other);
	modules_free(ms);
	limit(0);
}

/* The end of tracing: helpers end, and nothing waits for them. */
static void test_interrupted(void **state)
{
	struct modules *ms = read_modules();
	struct symbols_ahead *a;

	(void)state;
	limit(0);
	interrupts = 2;
	a = begin(ms, is_none);
	for (size_t i = 0; i < ms->len; i++)
		symbols_ahead_take(a, ms->data[i]);
	symbols_ahead_end(&tracer);
	interrupts = 0;
	modules_free(ms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),	 cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_left_out), cmocka_unit_test(test_limit),
		cmocka_unit_test(test_room),	 cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
