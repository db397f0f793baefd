/* SPDX-License-Identifier: MIT */
/* What the rest of the tracer asks of struct provider. */
#include "tracer/providers/providers.h"
#include "tracer/base/core.h"
#include "tracer/providers/match.h"
#include "tracer/tracer.h"
#include "vm/base/host/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct tracer *run_new(void)
{
	static char *const none[] = {NULL};

	return tracer_new("dtrace", 0, none);
}

static const struct provider *provider_named(const struct tracer *t, const char *name)
{
	for (size_t i = 0; i < t->nproviders; i++)
		if (strcmp(t->providers[i]->name, name) == 0)
			return t->providers[i];
	fail_msg("no provider %s", name);
	return NULL;
}

/* The only probe with this provider and name. */
static const struct probe *probe_named(struct tracer *t, const char *provider,
				       const char *function, const char *name)
{
	struct dlang_probe_desc desc = {{provider, "", function, name}, 0};
	const struct probe *p;
	struct match m = {0};
	struct err e;

	assert_int_equal(match_probes(t, &desc, false, &m, &e), 0);
	assert_int_equal(m.ids.len, 1);
	p = probes_get(&t->probes, m.ids.data[0]);
	match_release(&m);
	return p;
}

/* BEGIN, END and ERROR are known by number everywhere. */
static void test_first_ids(void **state)
{
	static const char *const names[] = {
		[PROBE_BEGIN] = "BEGIN", [PROBE_END] = "END", [PROBE_ERROR] = "ERROR"};
	struct tracer *t = run_new();

	(void)state;
	for (uint32_t id = PROBE_BEGIN; id <= PROBE_ERROR; id++)
		assert_string_equal(
			probes_name(&t->probes, probes_get(&t->probes, id), PROBE_NAME),
			names[id]);
	tracer_free(t);
}

static void test_sources(void **state)
{
	static const struct {
		const char *provider, *function, *name;
		int by; /* SOURCE_ */
		uint32_t kind;
		uint64_t value; /* of the event, or the interval */
		bool has_target;
	} cases[] = {
		{"dtrace", "", "BEGIN", SOURCE_SITES, 0, 0, false},
		{"diag", "", "site", SOURCE_SITES, 0, 0, false},
		{"profile", "", "tick-1s", SOURCE_CLOCK, 0, 1000000000, false},
		{"profile", "", "tick-1s", SOURCE_CLOCK, 0, 1000000000, true},
		{"profile", "", "profile-10ms", SOURCE_CLOCK, 0, 10000000, false},
		{"profile", "", "profile-10ms", SOURCE_KEEPER, KEEPER_SITELESS_PROFILE,
		 10000000, true},
		{"proc", "", "exit", SOURCE_KEEPER, KEEPER_SITELESS_PROC,
		 KEEPER_PROC_EXIT, true},
		{"syscall", "write", "entry", SOURCE_KEEPER, KEEPER_SITELESS_CALL_ENTRY,
		 1, true},
		{"syscall", "write", "return", SOURCE_KEEPER,
		 KEEPER_SITELESS_CALL_RETURN, 1, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct tracer *t = run_new();
		struct provider_source s;

		if (cases[i].has_target)
			*vec_push(&t->targets) =
				NULL; /* there is one; no other use of it */
		s = provider_source(t, probe_named(t, cases[i].provider,
						   cases[i].function, cases[i].name));
		assert_int_equal(s.by, cases[i].by);
		assert_int_equal(s.event.kind, cases[i].kind);
		assert_int_equal(s.by == SOURCE_CLOCK ? s.interval : s.event.value,
				 cases[i].value);
		t->targets.len = 0;
		tracer_free(t);
	}
}

/* They wait for a process to be named, and the hint says so. A listing needs none. */
static void test_needs_process(void **state)
{
	static const char *const names[] = {"proc", "syscall", "s[y]scall"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct dlang_probe_desc desc = {{names[i], "", "", ""}, 0};
		struct tracer *t = run_new();
		struct match m = {0};
		struct err e = {0};

		assert_int_equal(match_probes(t, &desc, false, &m, &e), 0);
		assert_true(m.ids.len > 0);
		assert_true(m.is_unsettled);
		assert_non_null(strstr(m.hint, "name one by -c or -p"));
		match_none(&desc, &m, &e);
		assert_string_equal(e.tag, "D_PDESC_ZERO");
		match_release(&m);
		m = (struct match){0};
		t->is_listing = true;
		assert_int_equal(match_probes(t, &desc, false, &m, &e), 0);
		assert_true(m.ids.len > 0);
		assert_false(m.is_unsettled);
		match_release(&m);
		tracer_free(t);
	}
}

/* A listing of everything has the probes that wait for a description otherwise. */
static void test_add_all(void **state)
{
	static const char *const names[] = {"proc", "syscall"};
	struct tracer *t = run_new();
	uint32_t n = (uint32_t)t->probes.table.len;
	bool has[ARRAY_LEN(names)] = {0};

	(void)state;
	providers_add_all(t);
	for (uint32_t id = n + 1; id <= t->probes.table.len; id++)
		for (size_t i = 0; i < ARRAY_LEN(names); i++)
			has[i] |= strcmp(probes_get(&t->probes, id)->provider->name,
					 names[i]) == 0;
	assert_true(has[0] && has[1]);
	n = (uint32_t)t->probes.table.len;
	providers_add_all(t);
	assert_int_equal(t->probes.table.len, n);
	tracer_free(t);
}

/* Which fields ask for slots in the threads of a target (buffers.c). */
static void test_names_process(void **state)
{
	static const struct {
		const char *provider, *field;
		bool is_named;
	} cases[] = {
		{"fpid", "fpid123", true}, {"fpid", "f[p]id123", true},
		{"fpid", "*123", true},	   {"fpid", "pid123", false},
		{"fpid", "fpid", false},   {"fpid", "fpid*", false},
		{"fpid", "fpid0", false},  {"fpid", "", false},
		{"pid", "pid123", true},   {"pid", "*123", true},
		{"pid", "fpid123", false}, {"pid", "pidgin", false},
	};
	struct tracer *t = run_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct provider *p = provider_named(t, cases[i].provider);

		assert_int_equal(p->names_process(p, cases[i].field),
				 cases[i].is_named);
	}
	assert_true(provider_named(t, "fpid")->takes_jumps);
	assert_false(provider_named(t, "pid")->takes_jumps);
	tracer_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_ids),     cmocka_unit_test(test_sources),
		cmocka_unit_test(test_needs_process), cmocka_unit_test(test_add_all),
		cmocka_unit_test(test_names_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
