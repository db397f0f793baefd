/* SPDX-License-Identifier: MIT */
/* Which clauses may load memory of the target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/vm_image.h"

static void test_reads(void **state)
{
	const struct {
		insn_t insn;
		bool reads;
	} cases[] = {
		{I(ULD, 1, 0, 8, 0), true},
		{I(CALL, 1, 0, 2, SUBR_copyin), true},
		{I(CALL, 1, 0, 1, SUBR_copyinstr), true},
		{I(CALL, 1, 0, 3, SUBR_copyinto), true},
		{I(CALL, 1, 0, 1, SUBR_alloca), false},
		{I(CALL, 1, 0, 1, SUBR_strlen), false},
		{I(CALL, 1, 0, 1, SUBR_ustack), false},
		{I(CALL, 1, 0, 3, SUBR_copyout), false},
		{I(LD, 1, 0, 8, 0), false},
		{I(BI, 1, 0, 0, BUILTIN_arg1), false},
	};
	struct builder *b = builder_new();
	size_t size;
	void *image;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const insn_t code[] = {I(LI, 0, 0, 0, 0), cases[i].insn,
				       I(END, 0, 0, 0, 0)};

		build_clause(b, code, ARRAY_LEN(code));
	}
	image = build_image(b, &size);
	for (uint32_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(program_reads_target(image, program_clause(image, i)),
				 cases[i].reads);
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_reads)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
