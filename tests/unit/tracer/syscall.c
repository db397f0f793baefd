/* SPDX-License-Identifier: MIT */
/* Every system call that has probes has the types of its arguments. */
#include "dlang/type.h"
#include "tracer/base/core.h"
#include "tracer/providers/prov_syscall.h"
#include "tracer/tracer.h"
#include "vm/base/host/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct tracer *listing(void)
{
	char *const none[] = {NULL};
	struct tracer *t = tracer_new("dtrace", 0, none);

	prov_syscall.add_all(&prov_syscall, t);
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
		struct provider_arguments a = {0};

		if (p->provider != &prov_syscall)
			continue;
		calls++;
		prov_syscall.arguments(&t->probes, p, &a);
		if (a.why)
			fail_msg("no types of %s", call);
		for (uint32_t i = 0; i < a.n; i++) {
			const char *type = a.list[i].type;

			if (!type || (!strchr(type, '*') && !type_find(&ts, type)))
				fail_msg("args[%u] of %s: no such type", i, call);
		}
	}
	assert_true(calls > 600);
	types_release(&ts);
	arena_release(&arena);
	tracer_free(t);
}

static struct provider_arguments arguments_of(const char *call, const char *name)
{
	const char *const names[4] = {"syscall", "", call, name};
	struct provider_arguments a = {0};
	struct probes ps;
	uint32_t id;

	probes_init(&ps);
	id = probes_add(&ps, &prov_syscall, names);
	prov_syscall.arguments(&ps, probes_get(&ps, id), &a);
	probes_release(&ps);
	return a;
}

static void test_some(void **state)
{
	static const struct {
		const char *call, *probe;
		uint32_t n;
		const char *type[6];
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
		struct provider_arguments a =
			arguments_of(cases[i].call, cases[i].probe);

		assert_null(a.why);
		assert_int_equal(a.n, cases[i].n);
		for (uint32_t k = 0; k < a.n; k++)
			assert_string_equal(a.list[k].type, cases[i].type[k]);
	}
}

static void test_unknown(void **state)
{
	struct provider_arguments a = arguments_of("of_next_year", "entry");

	(void)state;
	assert_string_equal(a.why, "the arguments of this system call are not known");
	assert_int_equal(a.n, 0);
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
