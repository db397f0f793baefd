/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "vm/base/host/shared_library.h"

static void test_loaded(void **state)
{
	double (*cosine)(double) = NULL, (*root)(double) = NULL;
	const struct shared_function wanted[] = {{"cos", &cosine}, {"sqrt", &root}};
	const char *why = "none";

	(void)state;
	assert_true(shared_library_load("libm.so.6", wanted, ARRAY_LEN(wanted), &why));
	assert_string_equal(why, "none");
	assert_true(cosine(0) == 1);
	assert_true(root(9) == 3);
}

static void test_unusable(void **state)
{
	void (*function)(void);
	const struct shared_function wanted[] = {{"cos", &function},
						 {"no_such", &function}};
	static const struct {
		const char *library, *why;
	} cases[] = {
		{"libno-such.so.1", "libno-such.so.1"},
		{"/etc/passwd", "invalid ELF header"},
		{"libm.so.6", "no_such"},
	};
	const char *why;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		why = NULL;
		assert_false(shared_library_load(cases[i].library, wanted,
						 ARRAY_LEN(wanted), &why));
		assert_non_null(why);
		assert_non_null(strstr(why, cases[i].why));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loaded),
		cmocka_unit_test(test_unusable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
