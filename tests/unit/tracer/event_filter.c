/* SPDX-License-Identifier: MIT */
/* From predicates to what the kernel tests: each row is a predicate and its filter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dlang/dlang.h"
#include "dlang/typesrc.h"
#include "tests/unit/support/dlang_front.h"
#include "tracer/events/predicate.h"

#define FIELD(type, at, size, is_signed)                                               \
	"\tfield:" type ";\toffset:" #at ";\tsize:" #size ";\tsigned:" #is_signed ";"  \
	"\n"

static const char text[] = "name: e\nID: 300\nformat:\n" FIELD(
	"unsigned short common_type", 0, 2,
	0) FIELD("int common_pid", 4, 4, 1) "\n" FIELD("int number", 8, 4, 1)
	FIELD("unsigned int flags", 12, 4, 0) FIELD("long ret", 16, 8, 1) FIELD(
		"u64 big", 24, 8, 0) FIELD("unsigned char tiny", 32, 1, 0)
		FIELD("short small", 34, 2, 1) FIELD("char comm[16]", 40, 16, 0) FIELD(
			"int fd", 56, 8, 0) FIELD("__data_loc char[] path", 64, 4, 0)
			FIELD("const char * user", 72, 8, 0) FIELD(
				"int list[2]", 80, 8, 1) FIELD("u8 mac[6]", 88, 6, 0)
				FIELD("pid_t next_pid", 96, 4, 1) "\nprint fmt: \"\"\n";

/* Of a call: arg0 is its result; arg1 a text, arg2 of an array; arg3 is no field. */
static const struct kernel_view call_view = {.result = "ret",
					     .args = {{"ret", 0, KERNEL_VALUE},
						      {"comm", 0, KERNEL_VALUE},
						      {"list", 1, KERNEL_VALUE},
						      {NULL, 0, KERNEL_VALUE},
						      {"flags", 0, KERNEL_VALUE},
						      {"number", 0, KERNEL_PROCESS}}};
/* It fires in another thread. */
static const struct kernel_view other_view = {.thread = "next_pid"};

static struct event_format *format;

static int argument(void *ctx, struct types *ts, uint32_t n,
		    struct typesrc_argument *out, struct err *e)
{
	(void)ctx;
	(void)e;
	assert_int_equal(n, 0);
	out->type = type_userland(
		ts, type_pointer(ts, event_format_type(format, ts, "struct sdt_e")));
	out->is_record = true;
	return 0;
}

static const struct type *find(void *ctx, struct types *ts, const char *object,
			       const char *name, struct err *e)
{
	(void)ctx;
	(void)ts;
	(void)object;
	(void)name;
	(void)e;
	return NULL;
}

static struct event_probe probe_of(const struct kernel_view *view)
{
	struct event_probe p = {.format = format, .view = view};

	if (!view)
		return p;
	if (view->result)
		p.result = event_format_find(format, view->result);
	if (view->thread)
		p.thread = event_format_find(format, view->thread);
	for (size_t i = 0; i < PROVIDER_ARGUMENTS_MAX; i++)
		if (view->args[i].name)
			p.args[i] = event_format_find(format, view->args[i].name);
	return p;
}

/* The filter of all clauses of the program; "" if there is none. Caller frees. */
static char *filter_of(const char *program, const struct kernel_view *view,
		       bool has_kernel_ids)
{
	static const struct typesrc types = {.find = find, .argument = argument};
	const struct dlang_env env = {
		.probe = front_probe, .option = front_option, .types = &types};
	const struct dlang_source source = {
		.text = program, .name = "ARG", .arg0 = "dtrace"};
	const struct event_probe probe = probe_of(view);
	struct dlang *d = dlang_new(&env);
	struct strbuf messages = {0}, out = {0};
	struct dlang_program compiled;
	struct predicate p = {.probe = &probe, .has_kernel_ids = has_kernel_ids};
	struct filter_term given = {0};
	struct filter f = {0};
	struct err e;
	void *image;
	size_t size;

	if (dlang_compile(d, &source, &compiled, &messages))
		fail_msg("%s", messages.data);
	assert_int_equal(dlang_link(d, &image, &size, &e), 0);
	p.image = image;
	for (; p.clause < compiled.nclauses; p.clause++)
		predicate_filter(&p, &given, &f);
	strbuf_puts(&out, "");
	filter_text(&f, &out);
	filter_release(&f);
	strbuf_release(&messages);
	free(image);
	dlang_free(d);
	return out.data;
}

struct row {
	const char *predicate, *filter;
};

static void check(const struct row *rows, size_t n, const struct kernel_view *view)
{
	char program[1024];

	for (size_t i = 0; i < n; i++) {
		char *found;

		snprintf(program, sizeof(program),
			 "int n; self int x; e /%s/ { @ = count(); }",
			 rows[i].predicate);
		found = filter_of(program, view, true);
		if (strcmp(found, rows[i].filter) != 0)
			fail_msg("/%s/: '%s' instead of '%s'", rows[i].predicate, found,
				 rows[i].filter);
		free(found);
	}
}

static int begin(void **state)
{
	struct err e;

	(void)state;
	return event_format_parse(text, strlen(text), 256, &format, &e);
}

static int end(void **state)
{
	(void)state;
	event_format_free(format);
	return 0;
}

#define A "args[0]->"

/* Signs and sizes: a constant that the field cannot have is left to the clause. */
static void test_numbers(void **state)
{
	static const struct row rows[] = {
		{A "number == 3", "number == 3"},
		{"3 == " A "number", "number == 3"},
		{A "number == -3", "number == -3"},
		{A "number != 0", "number != 0"},
		{A "number", "number != 0"},
		{"!" A "number", "number == 0"},
		{"!!" A "number", "number != 0"},
		{A "number < 10", "number < 10"},
		{A "number >= -10", "number >= -10"},
		{"10 < " A "number", "number > 10"},
		{"10 >= " A "number", "number <= 10"},
		{"!(" A "number > 10)", "number <= 10"},
		{A "number < 10u", ""},
		{A "flags < 10u", "flags < 10"},
		{A "flags == 0xffffffff", "flags == 4294967295"},
		{A "flags > 0x80000000", "flags > 2147483648"},
		{A "flags == -1", ""},
		{A "number == 0xffffffff", ""},
		{A "big == 0xffffffffffffffff", "big == 18446744073709551615"},
		{A "big > 0x8000000000000000", "big > 9223372036854775808"},
		{"(int64_t)" A "big > 5", ""},
		{A "ret < 0", "ret < 0"},
		{A "ret == -1", "ret == -1"},
		{"(uint64_t)" A "ret > 5", ""},
		{"(int)" A "ret == -1", ""},
		{"(long)" A "number == -1", "number == -1"},
		{"(unsigned int)" A "number == 5", "number == 5"},
		{"(unsigned int)" A "number == 0xffffffff", "number == -1"},
		{"(unsigned int)" A "number > 5", ""},
		{"(short)" A "number == 5", ""},
		{A "tiny == 255", "tiny == 255"},
		{A "tiny == 256", ""},
		{A "tiny == -1", ""},
		{A "tiny < 300", ""},
		{A "tiny < 200", "tiny < 200"},
		{A "small == -2", "small == -2"},
		{A "small == 65534", ""},
		{A "fd == 3", ""}, /* 4 bytes of 8 */
		{"arg0 == 3", "number == 3"},
		{"arg7 == 3", "fd == 3"},
		{"arg6 == 3", ""}, /* of an array */
		{A "number + 1 == 3", ""},
		{A "number == 3 * 4 + 1", "number == 13"},
		{A "number == " A "flags", ""},
		{A "list[0] == 1", ""},
		{A "mac[0] == 1", ""},
		{A "user == 0", ""},
		{A "common_type == 300", "common_type == 300"},
	};

	(void)state;
	check(rows, ARRAY_LEN(rows), NULL);
}

static void test_bits(void **state)
{
	static const struct row rows[] = {
		{A "flags & 4", "flags & 4"},
		{"4 & " A "flags", "flags & 4"},
		{"(" A "flags & 6) != 0", "flags & 6"},
		{"!(" A "flags & 6)", "!(flags & 6)"},
		{"(" A "flags & 6) == 0", "!(flags & 6)"},
		{"(" A "flags & 4) == 4", "flags & 4"},
		{"(" A "flags & 6) == 6", ""},
		{"(" A "flags & 6) == 2", ""},
		{"(" A "flags & 0x80000000) != 0", "flags & 2147483648"},
		{"(" A "number & 0x80000000) != 0", "number & -2147483648"},
		{"(" A "big & 0x8000000000000000) != 0", "big & 9223372036854775808"},
		{A "tiny & 0x100", ""},
		{A "flags & 0", ""},
		{A "flags | 4", ""},
		{A "flags & " A "number", ""},
	};

	(void)state;
	check(rows, ARRAY_LEN(rows), NULL);
}

#define LONG "0123456789abcdef"

static void test_texts(void **state)
{
	static const struct row rows[] = {
		{A "comm == \"sh\"", "comm == \"sh\""},
		{"\"sh\" == " A "comm", "comm == \"sh\""},
		{A "comm != \"sh\"", "comm != \"sh\""},
		{"stringof(" A "comm) == \"sh\"", "comm == \"sh\""},
		{A "comm == \"0123456789abcde\"", "comm == \"0123456789abcde\""},
		{A "comm == \"" LONG "\"", ""}, /* it has no room for the end */
		{A "comm == \"\"", ""},
		{A "comm == \"a\\\"b\"", ""},
		{A "comm == \"a\\nb\"", ""},
		{A "comm == \"a*\"", ""},
		{A "comm == \"a b || c\"", "comm == \"a b || c\""},
		{A "comm > \"sh\"", ""},
		{A "path == \"/bin/sh\"", "path == \"/bin/sh\""},
		{A "path != \"/bin/sh\"", ""}, /* the kernel may not see its end */
		{"strstr(" A "path, \"sh\") != NULL", "path ~ \"*sh*\""},
		{"strstr(" A "path, \"sh\") == NULL", ""},
		{"strstr(" A "comm, \"sh\") == NULL", "!(comm ~ \"*sh*\")"},
		{"strstr(" A "comm, \"sh\") == \"sh\"", ""},
		{"strstr(" A "comm, \"\") != NULL", ""},
		{"strstr(" A "comm, \"[a]\") != NULL", ""},
		{"copyinstr((uintptr_t)" A "user) == \"x\"", ""}, /* it may fault */
		{"execname == \"sh\"", "COMM == \"sh\""},
		{"execname != \"sh\"", ""}, /* a thread that has ended has no name */
		{"execname == \"kworker/0:1\"", ""},
		{"execname == \"swapper/0\"", ""},
		{"execname == \"" LONG "\"", ""},
		{"strstr(execname, \"python\") != NULL", "COMM ~ \"*python*\""},
		{"strstr(execname, \"-eve\") != NULL", ""},
		{"strstr(execname, \"sh\") != NULL", ""},
	};

	(void)state;
	check(rows, ARRAY_LEN(rows), NULL);
}

/* And, or, not; what the kernel does not know is left out where that lets more through. */
static void test_logic(void **state)
{
	static const struct row rows[] = {
		{A "number == 3 && " A "flags < 10u", "number == 3 && flags < 10"},
		{A "number == 3 || " A "flags < 10u", "number == 3 || flags < 10"},
		{"!(" A "number == 3 && " A "flags < 10u)",
		 "number != 3 || flags >= 10"},
		{"!(" A "number == 3 || " A "flags < 10u)",
		 "number != 3 && flags >= 10"},
		{A "number == 3 && (" A "flags == 1 || " A "tiny == 2)",
		 "(number == 3 && flags == 1) || (number == 3 && tiny == 2)"},
		{A "number == 3 || (" A "flags == 1 && " A "tiny == 2)",
		 "number == 3 || (flags == 1 && tiny == 2)"},
		{A "number == 3 ? " A "flags == 1 : " A "tiny == 2",
		 "(number != 3 && tiny == 2) || (number == 3 && flags == 1)"},
		{A "number == 3 && timestamp", "number == 3"},
		{"timestamp && " A "number == 3", "number == 3"},
		{"execname == \"sh\" && " A "number == 3",
		 "COMM == \"sh\" && number == 3"},
		{"!(execname == \"sh\" || " A "number == 3)", "number != 3"},
		{"ppid == 1 || " A "number == 3", ""},
		{A "number == 3 ^^ " A "flags == 1", ""},
		{"(" A "number == 3) == 1", "number == 3"},
		{"(" A "number == 3) == 0", "number != 3"},
		{"self->x && " A "number == 3", "number == 3"},
		{"n > 2 && " A "number == 3", "number == 3"},
		{"n++ < 2 && " A "number == 3", ""}, /* it counts each event */
		{A "number == 3 && n++ < 2", "number == 3"},
		{A "number == 3 && copyinstr(arg9) == \"x\"", "number == 3"},
		{"copyinstr(arg9) == \"x\" && " A "number == 3", ""},
		{A "number == 3 && 10 / ppid", "number == 3"},
		{"10 / ppid && " A "number == 3", ""},
		{A "number == 3 && " A "number == 4", ""},
		{"1", ""},
		{"0", ""},
		{A "number == 3 || 1", ""},
		{A "number == 3 && 1", "number == 3"},
		{"tid == 12", "common_pid == 12"},
		{"tid != 0", "common_pid != 0"},
		{"tid != 12", ""}, /* that of a thread that has ended is -1 */
		{"pid == 0", "common_pid == 0"},
		{"pid != 0", "common_pid != 0"},
		{"pid == 12", ""}, /* the field is the thread */
	};

	(void)state;
	check(rows, ARRAY_LEN(rows), NULL);
}

static void test_views(void **state)
{
	static const struct row call_rows[] = {
		{"arg0 == 3", "ret == 3"},
		{"arg0 > 100", "ret > 100"},
		{"arg0 < 0", "ret < 0"},
		{"arg0 > -1", "ret >= 0"},
		{"arg0 == -1", "ret < 0"},
		{"arg0 != -1", ""}, /* below -4095 it is no error */
		{"arg0 == -2", ""},
		{"arg0 < -5", ""},
		{"(uint64_t)arg0 > 5", ""},
		{"errno", "ret < 0"},
		{"errno == 2", "ret == -2"},
		{"errno != 2", "ret != -2"},
		{"errno == 0", ""},
		{"errno == 5000", ""},
		{"errno > 2", ""},
		{"errno == 2 || errno == 13", "ret == -2 || ret == -13"},
		{"copyinstr(arg1) == \"sh\"", "comm == \"sh\""},
		{"arg2 == 1", ""},
		{"arg3 == 0", ""},
		{"arg4 == 1", "flags == 1"},
		{"arg5 == 1", ""}, /* the process of a thread */
		{"tid == 12", "common_pid == 12"},
	};
	static const struct row other_rows[] = {
		{"tid == 12", "next_pid == 12"},
		{"tid != 12", "next_pid != 12"},
		{"tid < 12", ""},
		{"pid == 0", "next_pid == 0"},
		{"execname == \"sh\"", ""},
		{"arg0 == 1", ""},
	};

	(void)state;
	check(call_rows, ARRAY_LEN(call_rows), &call_view);
	check(other_rows, ARRAY_LEN(other_rows), &other_view);
}

static void check_program(const char *program, bool has_kernel_ids, const char *filter)
{
	char *found = filter_of(program, NULL, has_kernel_ids);

	assert_string_equal(found, filter);
	free(found);
}

/* An event that any clause asks for passes. */
static void test_clauses(void **state)
{
	(void)state;
	check_program("e /" A "number == 3/ {} e /" A "flags == 1/ {}", true,
		      "number == 3 || flags == 1");
	check_program("int n; e /" A "number == 3/ {} e /" A "number == 3/ { n++; }",
		      true, "number == 3");
	check_program("int n; e /" A "number == 3/ {} e { n++; }", true, "");
	check_program("e /" A "number == 3/ {} e /" A "number != 3/ {}", true, "");
	check_program("int n; e { n++; if (" A "number == 3) { n--; } }", true, "");
	/* in a namespace of process ids */
	check_program("e /tid == 12/ {}", false, "");
	check_program("e /pid == 0/ {}", false, "");
}

/* What would be too long for the kernel is no filter. */
static void test_limits(void **state)
{
	struct strbuf program = {0};

	(void)state;
	strbuf_puts(&program, "e /");
	for (int i = 0; i < 64; i++)
		strbuf_printf(&program, "%s" A "number == %d", i ? " || " : "", i);
	strbuf_puts(&program, "/ {}");
	check_program(program.data, true, "");
	strbuf_reset(&program);
	for (int i = 0; i < 64; i++)
		strbuf_printf(&program, "e /" A "number == %d/ {}\n", i);
	{
		char *found = filter_of(program.data, NULL, true);

		assert_int_equal(front_count(found, "number == "), 64);
		free(found);
	}
	strbuf_puts(&program, "e /" A "number == 99/ {}");
	check_program(program.data, true, "");
	strbuf_reset(&program);
	for (int i = 0; i < 300; i++)
		strbuf_printf(&program, "e /" A "path == \"/a/long/path/%0150d\"/ {}\n",
			      i);
	check_program(program.data, true, "");
	strbuf_release(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_bits),
		cmocka_unit_test(test_texts),	cmocka_unit_test(test_logic),
		cmocka_unit_test(test_views),	cmocka_unit_test(test_clauses),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
