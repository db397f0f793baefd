/* SPDX-License-Identifier: MIT */
#include "tracer/report.h"
#include "tracer/base/provider.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static const struct provider provider = {
	.name = "pid",
	.attributes = {"Evolving/Evolving/ISA", "Private/Private/Unknown",
		       "Private/Stable/CPU", "Stable/Unstable/Common",
		       "Unstable/Private/Group"},
};

struct fixture {
	struct out *out;
	int fd;
	char text[4096];
};

static void begin(struct fixture *f)
{
	f->out = out_new("dtrace");
	f->fd = memfd_create("out", MFD_CLOEXEC);
	f->out->fd = f->fd;
}

static const char *end(struct fixture *f)
{
	ssize_t n;

	assert_int_equal(out_flush(f->out), 0);
	n = pread(f->fd, f->text, sizeof(f->text) - 1, 0);
	assert_true(n >= 0);
	f->text[n] = '\0';
	out_free(f->out);
	close(f->fd);
	return f->text;
}

static void test_listing(void **state)
{
	static const char *const begin_name[] = {"dtrace", "", "", "BEGIN"};
	static const char *const long_name[] = {
		"pid1234567", "a_module_of_many_letters",
		"a_function_with_a_name_of_many_letters", "entry"};
	struct probes ps;
	struct fixture f;

	(void)state;
	probes_init(&ps);
	probes_add(&ps, &provider, begin_name);
	probes_add(&ps, &provider, long_name);
	begin(&f);
	report_header(f.out);
	report_probe(f.out, &ps, 1, false);
	report_probe(f.out, &ps, 2, false);
	assert_string_equal(end(&f), "   ID   PROVIDER            MODULE               "
				     "           FUNCTION NAME\n"
				     "    1     dtrace                                 "
				     "                    BEGIN\n"
				     "    2 pid1234567 a_module_of_many_letters "
				     "a_function_with_a_name_of_many_letters entry\n");
	begin(&f);
	report_probe(f.out, &ps, 1, true);
	assert_string_equal(end(&f), "    1     dtrace                                 "
				     "                    BEGIN\n"
				     "\n\tProbe Description Attributes\n"
				     "\t\tIdentifier Names: Evolving\n"
				     "\t\tData Semantics:   Unstable\n"
				     "\t\tDependency Class: ISA\n"
				     "\n\tArgument Attributes\n"
				     "\t\tIdentifier Names: Unstable\n"
				     "\t\tData Semantics:   Private\n"
				     "\t\tDependency Class: Group\n"
				     "\n\tArgument Types\n"
				     "\t\tNone\n"
				     "\n");
	probes_release(&ps);
}

static void test_stability(void **state)
{
	static const struct dlang_stability s = {
		.description = {"Evolving", "Private", "ISA"},
		.statement = {"Stable", "Stable", "Common"},
	};
	struct fixture f;

	(void)state;
	begin(&f);
	report_stability(f.out, "script", "x.d", &s);
	assert_string_equal(end(&f), "\nStability attributes for script x.d:\n"
				     "\n\tMinimum Probe Description Attributes\n"
				     "\t\tIdentifier Names: Evolving\n"
				     "\t\tData Semantics:   Private\n"
				     "\t\tDependency Class: ISA\n"
				     "\n\tMinimum Statement Attributes\n"
				     "\t\tIdentifier Names: Stable\n"
				     "\t\tData Semantics:   Stable\n"
				     "\t\tDependency Class: Common\n"
				     "\n");
}

#define UNSTABLE                                                                       \
	"\t\tIdentifier Names: Unstable\n"                                             \
	"\t\tData Semantics:   Unstable\n"                                             \
	"\t\tDependency Class: Common\n"

/* A specifier of -e that matches no probe. */
static void test_specifier(void **state)
{
	static const char *const field[] = {"none", "", "f*", ""};
	const struct probes none = {0};
	struct fixture f;

	(void)state;
	begin(&f);
	report_specifier(f.out, &none, field, NULL);
	assert_string_equal(end(&f), "\nnone::f*:\n"
				     "\n\tProbe Description Attributes\n" UNSTABLE
				     "\n\tArgument Attributes\n" UNSTABLE
				     "\n\tArgument Types\n\t\tNone\n\n");
}

/* Only the fields that are given count. */
static void test_least(void **state)
{
	static const struct {
		const char *name[4], *expected;
	} cases[] = {
		{{"p", "", "", ""}, "Evolving/Evolving/ISA"},
		{{"", "", "", "n"}, "Stable/Unstable/Common"},
		{{"p", "", "", "n"}, "Evolving/Unstable/ISA"},
		{{"p", "", "f", "n"}, "Private/Unstable/CPU"},
		{{"p", "m", "f", "n"}, "Private/Private/Unknown"},
		{{"", "", "", ""}, "Standard/Standard/Common"},
	};
	char buf[REPORT_TRIPLET_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(
			report_least(provider.attributes, cases[i].name, buf),
			cases[i].expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listing),
		cmocka_unit_test(test_stability),
		cmocka_unit_test(test_specifier),
		cmocka_unit_test(test_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
