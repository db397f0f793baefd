/* SPDX-License-Identifier: MIT */
/*
 * The pid provider on the test process itself: which probes and sites a
 * description makes, and how it is refused. No keeper: nothing is patched.
 */
#include "tracer/targets/plan.h"
#include "tracer/targets/site_report.h"
#include "tracer/providers/match.h"
#include "tracer/targets/target_event.h"
#include "tracer/tracer.h"
#include "vm/base/host/vec.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Functions whose every byte is known: jumps to local labels are short ones. */
__asm__(".pushsection .text\n"
	".globl t_ret\n.type t_ret,@function\n"
	"t_ret: .Lt_ret: ret\n.size t_ret,.-t_ret\n"
	"ud2\n" /* no padding, so that nothing may be taken of it */
	".globl t_three\n.type t_three,@function\n"
	"t_three: .Lt_three: nop\n xor %eax,%eax\n ret\n.size t_three,.-t_three\n"
	"ud2\n"
	".globl t_tail\n.type t_tail,@function\n"
	"t_tail: test %edi,%edi\n je .Lt_ret\n jmp .Lt_three\n.size t_tail,.-t_tail\n"
	".globl t_jump\n.type t_jump,@function\n"
	"t_jump: jmp *%rax\n.size t_jump,.-t_jump\n"
	"ud2\n"
	".popsection\n");

struct fixture {
	struct tracer *t;
	struct target *target;
	char provider[32];
};

static int set_up(void **state)
{
	static struct fixture f;
	struct err e;

	f.t = tracer_new("dtrace", 0, NULL);
	f.target = calloc(1, sizeof(*f.target));
	f.target->pid = getpid();
	f.target->alive = f.target->ready = true;
	f.target->mem_fd = -1;
	target_take_memory(f.target, open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
	assert_int_equal(modules_read(getpid(), &f.target->modules, &e), 0);
	*vec_push(&f.t->targets) = f.target;
	snprintf(f.provider, sizeof(f.provider), "pid%d", getpid());
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	tracer_free(f->t);
	return 0;
}

/* Every site as "NAME@OFFSET", in the order they were made. */
static void describe_sites(const struct fixture *f, uint64_t base, char *out,
			   size_t cap)
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < f->target->sites.len; i++) {
		const struct keeper_site *s = &f->target->sites.data[i].site;
		const struct probe *p = probes_get(&f->t->probes, s->probe);

		n += (size_t)snprintf(out + n, cap - n, "%s%s@%llx", i ? " " : "",
				      probes_name(&f->t->probes, p, PROBE_NAME),
				      (unsigned long long)(s->addr.v - base));
	}
}

static uint64_t address_of(const struct fixture *f, const char *function)
{
	for (size_t i = 0; i < f->target->modules->len; i++) {
		const struct module *m = f->target->modules->data[i];
		const struct symbol *s = m->is_exe ? module_find(m, function) : NULL;

		if (s)
			return module_address(m, s->value).v;
	}
	return 0;
}

static void test_sites(void **state)
{
	static const struct {
		const char *function, *name, *sites;
	} cases[] = {
		{"t_ret", "entry", "entry@0"},
		{"t_ret", "return", "return@0"},
		{"t_ret", "0", "0@0"},
		{"t_three", "return", "return@3"},
		{"t_three", "3", "3@3"},
		{"t_three", "", "entry@0 0@0 1@1 3@3 return@3"},
		{"t_three", "[0-9]*", "0@0 1@1 3@3"},
		{"t_three", "ent*", "entry@0"},
		{"t_tail", "return", "return@2 return@4"},
		{"t_jump", "return", "return@0"},
		{"t_r?t", "entry", "entry@0"},
	};
	char got[256];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture *f = *state;
		struct dlang_probe_desc desc = {
			{f->provider, "a.out", cases[i].function, cases[i].name}, 0};
		struct match m = {0};
		struct err e = {0};

		assert_int_equal(match_probes(f->t, &desc, false, &m, &e), 0);
		describe_sites(f, f->target->sites.data[0].site.addr.v, got,
			       sizeof(got));
		if (cases[i].function[2] ==
		    't') /* t_tail, t_three: first site is inside */
			describe_sites(f, address_of(f, cases[i].function), got,
				       sizeof(got));
		assert_string_equal(got, cases[i].sites);
		match_release(&m);
		tear_down(state);
		set_up(state);
	}
}

static void test_refusals(void **state)
{
	static const struct {
		const char *module, *function, *name, *tag, *text;
	} cases[] = {
		{"a.out", "t_rot", "entry", "D_PROC_FUNC", "failed to lookup 't_rot'"},
		{"a.out", "t_rot", "entry", "D_PROC_FUNC", "'t_ret'"},
		{"a.out", "t_ret", "beginning", "D_PROC_NAME",
		 "'beginning' is an invalid probe name"},
		{"a.out", "t_ret", "1", "D_PROC_OFF",
		 "offset 0x1 outside of function 't_ret'"},
		{"a.out", "t_three", "2", "D_PROC_ALIGN",
		 "offset 0x2 is not aligned on an instruction"},
		{"libc", "-", "401136", "D_PROC_LIB", "only the a.out module"},
		{"", "-", "", "D_PROC_NAME", "only individual addresses"},
		{"", "-", "4*", "D_PROC_NAME", "only individual addresses"},
		{"libnothing", "f", "entry", "D_PDESC_ZERO",
		 "does not match any probes"},
		{"a.out", "t_nothing*", "entry", "D_PDESC_ZERO", "does not match any"},
		{"libc", "t_ret", "entry", "D_PROC_FUNC", "is a function of"},
		{"libcc", "f", "entry", "D_PDESC_ZERO", "the nearest is 'libc.so.6'"},
		{"", "t_rot", "entry", "D_PDESC_ZERO", "'t_ret'"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct dlang_probe_desc desc = {{f->provider, cases[i].module,
						 cases[i].function, cases[i].name},
						0};
		struct match m = {0};
		struct err e = {0};

		assert_int_not_equal(match_probes(f->t, &desc, false, &m, &e), 0);
		assert_string_equal(e.tag, cases[i].tag);
		assert_non_null(strstr(e.text, cases[i].text));
		match_release(&m);
	}
}

static void test_provider_field(void **state)
{
	static const struct {
		const char *provider, *tag, *text;
	} cases[] = {
		{"pid0", "D_PROC_BADPID", "'pid0' does not contain a valid pid"},
		{"pidgin", "D_PDESC_ZERO", "does not match any probes"},
		{"pid*", "D_PDESC_ZERO", "does not match any probes"},
		{"fpid0", "D_PROC_BADPID", "'fpid0' does not contain a valid pid"},
		{"fpid99999999", "D_PROC_GRAB", "failed to grab process 99999999"},
		{"pid99999999", "D_PROC_GRAB", "failed to grab process 99999999"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct dlang_probe_desc desc = {{cases[i].provider, "", "f", "entry"},
						0};
		struct match m = {0};
		struct err e = {0};

		assert_int_not_equal(match_probes(f->t, &desc, false, &m, &e), 0);
		assert_string_equal(e.tag, cases[i].tag);
		assert_non_null(strstr(e.text, cases[i].text));
		match_release(&m);
	}
}

/* The same probe asked for twice has its sites once. */
static void test_sites_once(void **state)
{
	struct fixture *f = *state;
	struct dlang_probe_desc desc = {{f->provider, "a.out", "t_three", ""}, 0};
	struct err e = {0};
	size_t n = 0;

	for (int turn = 0; turn < 2; turn++) {
		struct match m = {0};

		assert_int_equal(match_probes(f->t, &desc, false, &m, &e), 0);
		assert_int_equal(m.ids.len, 5);
		n = turn ? n : f->target->sites.len;
		assert_int_equal(f->target->sites.len, n);
		match_release(&m);
	}
}

static void assert_service(const struct fixture *f, const char *expected)
{
	struct site_report s =
		site_report_of(f->t, f->target, &f->target->sites.data[0], NULL);
	char text[256];

	snprintf(text, sizeof(text), "%s: %s", s.tactic, s.reason);
	assert_memory_equal(text, expected, strlen(expected));
}

/* How sites of fpid will be served. */
static void test_plans(void **state)
{
	static const struct {
		const char *function, *name, *plan; /* NULL: none */
	} cases[] = {
		{"t_ret", "entry",
		 "breakpoint: it is one byte long and no padding follows"},
		{"t_three", "entry", "breakpoint: it is shorter than a jump"},
		{"t_tail", "entry", "jump"},
		{"t_tail", "return", "jump"},
		{"t_tail", "2", "jump"},
		{"t_three", "return", "breakpoint: it is one byte long"},
		{"t_jump", "entry", "breakpoint: it is shorter than a jump"},
	};
	char provider[32];

	snprintf(provider, sizeof(provider), "fpid%d", getpid());
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture *f = *state;
		struct dlang_probe_desc desc = {
			{provider, "a.out", cases[i].function, cases[i].name}, 0};
		struct match m = {0};
		struct err e = {0};
		uint32_t plan;

		assert_int_equal(match_probes(f->t, &desc, false, &m, &e), 0);
		plan_sites(f->t, f->target);
		plan = f->target->sites.data[0].site.plan;
		assert_int_equal(plan != 0, cases[i].plan != NULL);
		if (plan)
			assert_service(f, cases[i].plan);
		match_release(&m);
		tear_down(state);
		set_up(state);
	}
}

/* An exec that was on its way when the targets were released changes nothing. */
static void test_released(void **state)
{
	struct fixture *f = *state;
	struct link_message event = {
		.msg = {.type = KEEPER_EV_EXEC, .pid = f->target->pid}, .fd = -1};
	const struct modules *modules = f->target->modules;

	f->t->is_released = true;
	target_event(f->t, &event);
	assert_ptr_equal(f->target->modules, modules);
	event.msg.type = KEEPER_EV_HOLD;
	target_event(f->t, &event);
	assert_ptr_equal(f->target->modules, modules);
	assert_false(f->target->held);
	event.msg.type = KEEPER_EV_EXIT;
	target_event(f->t, &event);
	assert_false(f->target->alive);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sites, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_refusals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_provider_field, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_sites_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_plans, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_released, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
