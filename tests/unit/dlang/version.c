/* SPDX-License-Identifier: MIT */
/*
 * Versions of the language, stability triplets, and what either hides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "dlang/base/stability.h"
#include "dlang/base/version.h"
#include "tests/unit/support/dlang_front.h"

static void test_versions(void **state)
{
	static const struct {
		const char *text;
		int status;
		uint32_t version;
	} cases[] = {
		{"1.0", 0, VERSION(1, 0, 0)},
		{"1.6.3", 0, VERSION(1, 6, 3)},
		{"1.12.1", 0, VERSION(1, 12, 1)},
		{"1.13", 0, VERSION(1, 13, 0)},
		{"1.13.0", 0, VERSION(1, 13, 0)},
		{"01.013", 0, VERSION(1, 13, 0)},
		{"1.14", STATUS_NOENT, 0},
		{"0.9", STATUS_NOENT, 0},
		{"2.0", STATUS_NOENT, 0},
		{"1.6.4", STATUS_NOENT, 0},
		{"255.4095.4095", STATUS_NOENT, 0},
		{"", STATUS_INVAL, 0},
		{"1", STATUS_INVAL, 0},
		{"1.", STATUS_INVAL, 0},
		{".1", STATUS_INVAL, 0},
		{"1..2", STATUS_INVAL, 0},
		{"1.2.3.4", STATUS_INVAL, 0},
		{"1.2.", STATUS_INVAL, 0},
		{"1.x", STATUS_INVAL, 0},
		{"v1.2", STATUS_INVAL, 0},
		{"1.2 ", STATUS_INVAL, 0},
		{"-1.2", STATUS_INVAL, 0},
		{"256.0", STATUS_INVAL, 0},
		{"1.4096", STATUS_INVAL, 0},
		{"1.2.4096", STATUS_INVAL, 0},
		{"1.99999999999999999999", STATUS_INVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint32_t version = 0;
		int rc = dlang_version(cases[i].text, &version);

		if (rc != cases[i].status || (!rc && version != cases[i].version))
			fail_msg("%s: %d, %x", cases[i].text, rc, version);
	}
	assert_int_equal(dlang_version_latest(), VERSION(1, 13, 0));
}

static void test_triplets(void **state)
{
	static const struct {
		const char *text;
		bool is_good;
		struct stability s;
	} cases[] = {
		{"Stable/Evolving/ISA",
		 true,
		 {LEVEL_STABLE, LEVEL_EVOLVING, CLASS_ISA}},
		{"internal/PRIVATE/cpu",
		 true,
		 {LEVEL_INTERNAL, LEVEL_PRIVATE, CLASS_CPU}},
		{"Standard/Obsolete/Platform",
		 true,
		 {LEVEL_STANDARD, LEVEL_OBSOLETE, CLASS_PLATFORM}},
		{"External/Unstable/Group",
		 true,
		 {LEVEL_EXTERNAL, LEVEL_UNSTABLE, CLASS_GROUP}},
		{"Stable/Stable", false, {0, 0, 0}},
		{"Stable/Stable/", false, {0, 0, 0}},
		{"//", false, {0, 0, 0}},
		{"", false, {0, 0, 0}},
		{"Stable/Stable/Common/", false, {0, 0, 0}},
		{"Common/Stable/Stable", false, {0, 0, 0}},
		{"Stable/Stabl/Common", false, {0, 0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct stability s = {0, 0, 0};
		bool ok = stability_parse(cases[i].text, strlen(cases[i].text), &s);

		if (ok != cases[i].is_good ||
		    (ok && memcmp(&s, &cases[i].s, sizeof(s)) != 0))
			fail_msg("%s", cases[i].text);
		assert_int_equal(dlang_is_stability(cases[i].text), ok);
	}
}

/* A name is unknown below the version that brought it. */
static void test_hidden_names(void **state)
{
	static const struct {
		const char *text;
		uint32_t since;
	} cases[] = {
		{"BEGIN { trace(ucaller); }", VERSION(1, 2, 0)},
		{"BEGIN { trace(strchr(\"a\", 97)); }", VERSION(1, 1, 0)},
		{"BEGIN { if (1) trace(1); }", VERSION(1, 12, 1)},
		{"#pragma D binding \"1.5\" x\ninline int x = 1; BEGIN { trace(x); }",
		 VERSION(1, 5, 0)},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct front_input in = {.text = cases[i].text};
		char *now, *before;

		in.options.version = cases[i].since;
		now = front_dump(&in, "typed");
		in.options.version = cases[i].since - 1;
		before = front_dump(&in, "typed");
		if (strstr(now, "invalid") || !strstr(before, "invalid"))
			fail_msg("%s:\n%s\n%s", cases[i].text, now, before);
		free(now);
		free(before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_triplets),
		cmocka_unit_test(test_hidden_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
