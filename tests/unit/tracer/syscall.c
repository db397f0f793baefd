/* SPDX-License-Identifier: MIT */
/* Every system call that has probes has the types of its arguments. */
#include "dlang/type.h"
#include "tracer/provider.h"
#include "tracer/trace.h"
#include "vm/base/host/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct tracer *listing(void)
{
	char *const none[] = {NULL};
	struct tracer *t = tracer_new("dtrace", 0, none);

	prov_syscall_add_all(t);
	return t;
}

static void test_all(void **state)
{
	struct tracer *t = listing();
	struct arena arena = {0};
	struct types ts;
	size_t calls = 0;

	(void)state;
	types_init(&ts, &arena, 256);
	for (uint32_t id = 1; id <= t->probes.table.len; id++) {
		const struct probe *p = probes_get(&t->probes, id);
		const char *call = probes_name(&t->probes, p, PROBE_FUNCTION);
		const char *name = probes_name(&t->probes, p, PROBE_NAME);
		struct prov_argument a[PROV_CALL_ARGUMENTS];
		uint32_t n;

		if (p->provider != &prov_syscall)
			continue;
		calls++;
		if (!prov_syscall_arguments(call, name, a, &n))
			fail_msg("no types of %s", call);
		for (uint32_t i = 0; i < n; i++)
			if (!a[i].type ||
			    (!strchr(a[i].type, '*') && !type_find(&ts, a[i].type)))
				fail_msg("args[%u] of %s: no such type", i, call);
	}
	assert_true(calls > 600);
	types_release(&ts);
	arena_release(&arena);
	tracer_free(t);
}

static void test_some(void **state)
{
	static const struct {
		const char *call, *probe;
		uint32_t n;
		const char *type[PROV_CALL_ARGUMENTS];
	} cases[] = {
		{"read", "entry", 3, {"int", "void *", "size_t"}},
		{"read", "return", 2, {"ssize_t", "ssize_t"}},
		{"mmap", "return", 2, {"void *", "void *"}},
		{"openat", "entry", 4, {"int", "char *", "int", "unsigned int"}},
		{"getpid", "entry", 0, {NULL}},
		{"kill", "entry", 2, {"pid_t", "int"}},
		{"pselect6",
		 "entry",
		 6,
		 {"int", "void *", "void *", "void *", "void *", "void *"}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct prov_argument a[PROV_CALL_ARGUMENTS];
		uint32_t n;

		assert_true(
			prov_syscall_arguments(cases[i].call, cases[i].probe, a, &n));
		assert_int_equal(n, cases[i].n);
		for (uint32_t k = 0; k < n; k++)
			assert_string_equal(a[k].type, cases[i].type[k]);
	}
}

static void test_unknown(void **state)
{
	struct prov_argument a[PROV_CALL_ARGUMENTS];
	uint32_t n = 9;

	(void)state;
	assert_false(prov_syscall_arguments("of_next_year", "entry", a, &n));
	assert_int_equal(n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_some),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
