/* SPDX-License-Identifier: MIT */
/* Which clauses may load memory of the target, or share variables. */
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

/* Whether processes would share something by running a clause of this instruction. */
static void test_shared(void **state)
{
	const struct {
		insn_t insn;
		bool is_shared;
	} cases[] = {
		{I(LDG, 1, 0, 0, 0), true},
		{I(STG, 1, 0, 0, 0), true},
		{I(LDGP, 1, 0, 8, 0), true},
		{I(STGP, 1, 0, 8, 0), true},
		{I(LDGA, 1, 0, 0, 0), true},
		{I(LDDA, 1, 0, 0, 0), true},
		{I(LDD, 1, 0, 0, 0), true},
		{I(STD, 1, 0, 0, 0), true},
		{I(LDDP, 1, 0, 8, 0), true},
		{I(STDP, 1, 0, 8, 0), true},
		{I(CALL, 1, 0, 0, SUBR_speculation), true},
		{I(CALL, 1, 0, 1, SUBR_speculate), true},
		{I(CALL, 1, 0, 1, SUBR_commit), true},
		{I(CALL, 1, 0, 1, SUBR_discard), true},
		{I(LDT, 1, 0, 0, 0), false},
		{I(STT, 1, 0, 0, 0), false},
		{I(AGGR, 1, 0, 0, 0), false},
		{I(REC, 0, 0, 0, 0), false},
		{I(ULD, 1, 0, 8, 0), false},
		{I(CALL, 1, 0, 1, SUBR_strlen), false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const insn_t code[] = {I(LI, 0, 0, 0, 0), cases[i].insn,
				       I(END, 0, 0, 0, 0)};
		struct builder *b = builder_new();
		size_t size;
		void *image;

		build_clause(b, code, ARRAY_LEN(code));
		image = build_image(b, &size);
		if (vm_shares_variables(image) != cases[i].is_shared)
			fail_msg("case %zu", i);
		free(image);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
