/* SPDX-License-Identifier: MIT */
/*
 * The public face of the compiler: messages as the command prints them,
 * callbacks, and programs that share what they define.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support/dlang_front.h"

/* What the callbacks were told. */
struct seen {
	char probes[300], options[200];
};

static int see_probe(void *ctx, uint32_t clause, const struct dlang_probe_desc *desc,
		     struct err *e)
{
	struct seen *s = ctx;
	size_t n = strlen(s->probes);

	snprintf(s->probes + n, sizeof(s->probes) - n, "%u=%s:%s:%s:%s#%u ", clause,
		 desc->field[0], desc->field[1], desc->field[2], desc->field[3],
		 desc->id);
	if (strcmp(desc->field[0], "nosuch") == 0)
		return err_tag(
			e, "D_PDESC_ZERO",
			"probe description %s:%s:%s:%s does not match any probes",
			desc->field[0], desc->field[1], desc->field[2], desc->field[3]);
	return 0;
}

static int see_option(void *ctx, const char *name, const char *value, struct err *e)
{
	struct seen *s = ctx;
	size_t n = strlen(s->options);

	(void)e;
	snprintf(s->options + n, sizeof(s->options) - n, "%s=%s ", name,
		 value ? value : "(none)");
	return 0;
}

static struct dlang *new_compiler(struct seen *seen)
{
	const struct dlang_env env = {
		.ctx = seen, .probe = see_probe, .option = see_option};

	*seen = (struct seen){{0}, {0}};
	return dlang_new(&env);
}

static int compile(struct dlang *d, const char *text, struct dlang_program *program,
		   struct strbuf *messages)
{
	const struct dlang_source src = {.text = text, .name = text, .arg0 = "dtrace"};

	return dlang_compile(d, &src, program, messages);
}

/* The first line, exactly; then an excerpt where there is a place. */
static void test_classic_lines(void **state)
{
	static const struct {
		const char *text, *line;
		bool has_excerpt;
	} cases[] = {
		{"BEGIN { x; }",
		 "[D_IDENT_UNDEF] in action list: failed to resolve x: Unknown "
		 "variable "
		 "name",
		 true},
		{"BEGIN /x/ { }",
		 "[D_IDENT_UNDEF] in predicate: failed to resolve x: Unknown variable "
		 "name",
		 true},
		{"BEGIN { trace(); }",
		 "[D_PROTO_LEN] in action list: trace( ) prototype mismatch: 0 args "
		 "passed, "
		 "1 expected",
		 true},
		{"nosuch:::probe",
		 "[D_PDESC_ZERO] probe description nosuch:::probe does not match any "
		 "probes",
		 true},
		{"BEGIN { trace($1); }",
		 "[D_MACRO_UNDEF] macro argument $1 is not defined", true},
		{"BEGIN { trace(1) ", "[D_SYNTAX] syntax error near end of input",
		 true},
		{"BEGIN /1/",
		 "[D_SYNTAX] expected actions { } following probe description and "
		 "predicate",
		 true},
		{" ", "[D_EMPTY] empty D program translation unit", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf messages = {0};
		struct dlang_program program;
		struct seen seen;
		struct dlang *d = new_compiler(&seen);
		char expected[300], first[300];
		const char *m;

		dlang_options(d)->errtags = true;
		assert_int_equal(compile(d, cases[i].text, &program, &messages),
				 STATUS_SYNTAX);
		m = dlang_message(&messages, NULL);
		assert_non_null(m);
		snprintf(expected, sizeof(expected), "invalid probe specifier %s: %s",
			 cases[i].text, cases[i].line);
		snprintf(first, sizeof(first), "%.*s", (int)strcspn(m, "\n"), m);
		assert_string_equal(first, expected);
		assert_int_equal(strchr(m, '\n') != NULL, cases[i].has_excerpt);
		assert_null(dlang_message(&messages, m));
		strbuf_release(&messages);
		dlang_free(d);
	}
}

static void test_messages_are_separate(void **state)
{
	struct strbuf messages = {0};
	struct dlang_program program;
	struct seen seen;
	struct dlang *d = new_compiler(&seen);
	const char *m = NULL;
	size_t n = 0;

	(void)state;
	assert_int_equal(compile(d, "BEGIN { a a; b b; c c }", &program, &messages),
			 STATUS_SYNTAX);
	while ((m = dlang_message(&messages, m))) {
		assert_int_equal(strncmp(m, "invalid probe specifier ", 24), 0);
		n++;
	}
	assert_int_equal(n, 3);
	strbuf_release(&messages);
	assert_null(dlang_message(&messages, NULL));
	dlang_free(d);
}

static void test_callbacks(void **state)
{
	struct strbuf messages = {0};
	struct dlang_program program;
	struct seen seen;
	struct dlang *d = new_compiler(&seen);

	(void)state;
	assert_int_equal(compile(d,
				 "#pragma D option quiet\nBEGIN, pid1:a:b:c { }\n7 {\n"
				 "#pragma D option bufsize=4m\n}",
				 &program, &messages),
			 0);
	assert_string_equal(seen.probes, "0=:::BEGIN#0 0=pid1:a:b:c#0 1=:::#7 ");
	assert_string_equal(seen.options, "quiet=(none) bufsize=4m ");
	assert_int_equal(messages.len, 0);
	strbuf_release(&messages);
	dlang_free(d);
}

/* Names of lines: "/" is in the path of a file or begins a predicate. */
static void test_lines(void **state)
{
	static const struct {
		const char *text, *probes;
	} cases[] = {
		{"pid1:a::x.c@12 { }", "0=pid1:a::x.c@12#0 "},
		{"pid1:a::s/x.c@12/arg0/{ }", "0=pid1:a::s/x.c@12#0 "},
		{"pid1:a::s/x.c@*, BEGIN/arg0/{ @ = count(); }",
		 "0=pid1:a::s/x.c@*#0 0=:::BEGIN#0 "},
		{"pid1:a:f:entry/arg0/{ @a[1] = count(); }", "0=pid1:a:f:entry#0 "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf messages = {0};
		struct dlang_program program;
		struct seen seen;
		struct dlang *d = new_compiler(&seen);

		compile(d, cases[i].text, &program, &messages);
		assert_string_equal(seen.probes, cases[i].probes);
		strbuf_release(&messages);
		dlang_free(d);
	}
}

/* Variables, typedefs and clause numbers go on from program to program. */
static void test_programs_share(void **state)
{
	static const char *const texts[] = {
		"typedef unsigned long mine_t; mine_t x; BEGIN { x = 1; } END { }",
		"BEGIN { trace((mine_t)x); }",
		"END",
	};
	static const uint32_t firsts[] = {0, 2, 3}, counts[] = {2, 1, 1};
	struct strbuf messages = {0};
	struct dlang_program program;
	struct seen seen;
	struct dlang *d = new_compiler(&seen);
	struct err e = {0};
	void *image;
	size_t size;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		assert_int_equal(compile(d, texts[i], &program, &messages), 0);
		assert_int_equal(program.first_clause, firsts[i]);
		assert_int_equal(program.nclauses, counts[i]);
	}
	assert_int_equal(dlang_link(d, &image, &size, &e), 0);
	assert_true(size > 0);
	free(image);
	strbuf_release(&messages);
	dlang_free(d);
}

/* Each program must use the last operand by itself. */
static void test_operands_of_each_program(void **state)
{
	char *argv[] = {"5"};
	struct strbuf messages = {0};
	struct dlang_program program;
	struct seen seen;
	struct dlang *d = new_compiler(&seen);

	(void)state;
	dlang_options(d)->argc = 1;
	dlang_options(d)->argv = argv;
	assert_int_equal(compile(d, "BEGIN { trace($1); }", &program, &messages), 0);
	assert_int_equal(compile(d, "BEGIN", &program, &messages), STATUS_SYNTAX);
	assert_string_equal(
		dlang_message(&messages, NULL),
		"invalid probe specifier BEGIN: extraneous argument '5' ($1 is "
		"not referenced)");
	strbuf_release(&messages);
	dlang_free(d);
}

static void test_dump_names(void **state)
{
	const struct dlang_source src = {.text = "BEGIN", .name = "BEGIN"};
	struct strbuf out = {0};
	struct seen seen;
	struct dlang *d = new_compiler(&seen);

	(void)state;
	assert_int_equal(dlang_dump(d, &src, "nosuch", &out), STATUS_INVAL);
	assert_int_equal(dlang_dump(d, &src, "tree", &out), 0);
	assert_string_equal(out.data, "clause 1:1\n  probe :::BEGIN\n");
	assert_string_equal(seen.probes, "");
	strbuf_release(&out);
	dlang_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classic_lines),
		cmocka_unit_test(test_messages_are_separate),
		cmocka_unit_test(test_callbacks),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_programs_share),
		cmocka_unit_test(test_operands_of_each_program),
		cmocka_unit_test(test_dump_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
