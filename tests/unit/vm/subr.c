/* SPDX-License-Identifier: MIT */
/* Subroutines, and the scratch memory they fill. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/vm_image.h"
#include "vm/block/layout.h"

/* Of one firing: what was traced, or the fault. */
struct outcome {
	int32_t fault;
	uint64_t address, number;
	char text[512];
};

/* d = subr(x, y): traced as a number (strlen) or as a string. */
struct call {
	enum subr subr;
	uint32_t nargs;
	uint64_t x, y;
	uint32_t strsize;
	bool is_number;
};

static struct outcome call(const struct call *c, const char *memory)
{
	struct builder *b = builder_new();
	const insn_t code[] = {
		I(LC, 1, 0, 0, build_constant(b, c->x)),
		I(LC, 2, 0, 0, build_constant(b, c->y)),
		I(CALL, 3, 1, c->nargs, c->subr),
		I(TUP, 0, 0, 0, 0),
		c->is_number ? I(TPI, 3, 0, 8, 0) : I(TPS, 3, 0, 0, 0),
		I(REC, 0, 0, 0, 0),
		I(END, 0, 0, 0, 0),
	};
	struct outcome o = {.fault = FAULT_NONE};
	const struct record_fault *fault;
	struct rig *r;
	uint32_t len;

	b->strsize = c->strsize;
	build_field(b, c->is_number ? field_int(8, false) : field_string(c->strsize));
	build_action(b, ACTION_trace, 1);
	build_string(b, "image string");
	build_clause(b, code, ARRAY_LEN(code));
	r = rig_new(b);
	if (memory)
		strcpy(r->world.memory, memory);
	else
		memset(r->world.memory, 'm', sizeof(r->world.memory));
	rig_fire(r);
	assert_non_null(rig_record(r));
	fault = rig_body(r);
	if (r->buf.record.kind == RECORD_FAULT) {
		o.fault = fault->fault;
		o.address = fault->address;
	} else if (c->is_number) {
		memcpy(&o.number, (const char *)rig_body(r) + 8, 8);
	} else {
		memcpy(&len, (const char *)rig_body(r) + 8, 4);
		memcpy(o.text, (const char *)rig_body(r) + 12, len);
	}
	rig_free(r);
	return o;
}

#define WORLD_END (WORLD_BASE + sizeof(((struct world *)0)->memory))

static void test_copyinstr(void **state)
{
	static const struct {
		struct call call;
		const char *memory; /* NULL: no terminator anywhere */
		int32_t fault;
		uint64_t address;
		const char *text;
	} cases[] = {
		{{SUBR_copyinstr, 1, WORLD_BASE, 0, 256, 0},
		 "hello",
		 FAULT_NONE,
		 0,
		 "hello"},
		{{SUBR_copyinstr, 1, WORLD_BASE, 0, 256, 0}, "", FAULT_NONE, 0, ""},
		{{SUBR_copyinstr, 2, WORLD_BASE, 3, 256, 0},
		 "hello",
		 FAULT_NONE,
		 0,
		 "hel"},
		{{SUBR_copyinstr, 2, WORLD_BASE, 5, 256, 0},
		 "hello",
		 FAULT_NONE,
		 0,
		 "hello"},
		{{SUBR_copyinstr, 2, WORLD_BASE, 0, 256, 0},
		 "hello",
		 FAULT_NONE,
		 0,
		 ""},
		{{SUBR_copyinstr, 2, WORLD_BASE, UINT64_MAX, 256, 0},
		 "hello",
		 FAULT_NONE,
		 0,
		 "hello"},
		{{SUBR_copyinstr, 1, WORLD_BASE, 0, 5, 0},
		 "hello",
		 FAULT_NONE,
		 0,
		 "hell"},
		{{SUBR_copyinstr, 1, WORLD_BASE, 0, 1, 0}, "hello", FAULT_NONE, 0, ""},
		{{SUBR_copyinstr, 1, 0, 0, 256, 0}, "hello", FAULT_BADADDR, 0, ""},
		{{SUBR_copyinstr, 1, WORLD_END - 4, 0, 256, 0},
		 NULL,
		 FAULT_BADADDR,
		 WORLD_END,
		 ""},
		{{SUBR_copyinstr, 2, WORLD_END - 4, 4, 256, 0},
		 NULL,
		 FAULT_NONE,
		 0,
		 "mmmm"},
		{{SUBR_copyinstr, 1, VM_ADDR_IMAGE, 0, 256, 0},
		 "",
		 FAULT_BADADDR,
		 VM_ADDR_IMAGE,
		 ""},
		{{SUBR_copyinstr, 1, WORLD_BASE, 0, SCRATCH_BYTES + 1, 0},
		 "x",
		 FAULT_NOSCRATCH,
		 0,
		 ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct outcome o = call(&cases[i].call, cases[i].memory);

		if (o.fault != cases[i].fault || o.address != cases[i].address ||
		    strcmp(o.text, cases[i].text) != 0)
			fail_msg("case %zu: fault %d address %llx text '%s'", i,
				 o.fault, (unsigned long long)o.address, o.text);
	}
}

static void test_copyin(void **state)
{
	static const struct {
		struct call call;
		int32_t fault;
		uint64_t address;
		const char *text;
	} cases[] = {
		{{SUBR_copyin, 2, WORLD_BASE, 6, 256, 0}, FAULT_NONE, 0, "hello"},
		{{SUBR_copyin, 2, WORLD_BASE + 1, 3, 256, 0}, FAULT_NONE, 0, "ell"},
		{{SUBR_copyin, 2, 0, 0, 256, 1}, FAULT_NONE, 0, ""},
		{{SUBR_copyin, 2, 0, 8, 256, 0}, FAULT_BADADDR, 0, ""},
		{{SUBR_copyin, 2, WORLD_END - 2, 4, 256, 0},
		 FAULT_BADADDR,
		 WORLD_END,
		 ""},
		{{SUBR_copyin, 2, WORLD_BASE, SCRATCH_BYTES + 1, 256, 0},
		 FAULT_NOSCRATCH,
		 0,
		 ""},
		{{SUBR_copyin, 2, WORLD_BASE, UINT64_MAX, 256, 0},
		 FAULT_NOSCRATCH,
		 0,
		 ""},
		{{SUBR_copyin, 2, WORLD_BASE, UINT64_C(1) << 32, 256, 0},
		 FAULT_NOSCRATCH,
		 0,
		 ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct outcome o = call(&cases[i].call, "hello");

		if (o.fault != cases[i].fault || o.address != cases[i].address ||
		    strcmp(o.text, cases[i].text) != 0)
			fail_msg("case %zu: fault %d address %llx text '%s'", i,
				 o.fault, (unsigned long long)o.address, o.text);
	}
}

static void test_strlen(void **state)
{
	static const struct {
		struct call call;
		int32_t fault;
		uint64_t address, number;
	} cases[] = {
		{{SUBR_strlen, 1, VM_ADDR_IMAGE + 1, 0, 256, 1}, FAULT_NONE, 0, 12},
		{{SUBR_strlen, 1, VM_ADDR_IMAGE + 7, 0, 256, 1}, FAULT_NONE, 0, 6},
		{{SUBR_strlen, 1, VM_ADDR_IMAGE, 0, 256, 1}, FAULT_NONE, 0, 0},
		{{SUBR_strlen, 1, VM_ADDR_NAMES + 6, 0, 256, 1}, FAULT_NONE, 0, 3},
		{{SUBR_strlen, 1, VM_ADDR_IMAGE + 1, 0, 4, 1}, FAULT_NONE, 0, 4},
		{{SUBR_strlen, 1, 0, 0, 256, 1}, FAULT_BADADDR, 0, 0},
		{{SUBR_strlen, 1, WORLD_BASE, 0, 256, 1}, FAULT_BADADDR, WORLD_BASE, 0},
		{{SUBR_strlen, 1, VM_ADDR_SCRATCH, 0, 256, 1},
		 FAULT_BADADDR,
		 VM_ADDR_SCRATCH,
		 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct outcome o = call(&cases[i].call, "hello");

		if (o.fault != cases[i].fault || o.address != cases[i].address ||
		    o.number != cases[i].number)
			fail_msg("case %zu: fault %d address %llx number %llu", i,
				 o.fault, (unsigned long long)o.address,
				 (unsigned long long)o.number);
	}
}

/* Scratch fills up over the clauses of one firing, and is empty for the next. */
static void test_scratch_is_per_firing(void **state)
{
	struct builder *b = builder_new();
	const uint32_t base = build_constant(b, WORLD_BASE);
	const uint32_t n = SCRATCH_BYTES / 400;
	const insn_t code[] = {
		I(LC, 1, 0, 0, base),
		I(LI, 2, 0, 0, 400),
		I(CALL, 3, 1, 2, SUBR_copyin),
		I(RECE, 0, 0, 0, 0),
		I(END, 0, 0, 0, 0),
	};
	struct rig *r;

	(void)state;
	build_clause(b, code, ARRAY_LEN(code));
	r = rig_new(b);
	for (int firing = 0; firing < 3; firing++) {
		struct vm_enabling *many = calloc(n + 2, sizeof(*many));

		r->vm.enablings = many;
		r->probe.nenablings = n + 2;
		rig_fire(r);
		for (uint32_t i = 0; i < n + 2; i++) {
			assert_non_null(rig_record(r));
			assert_int_equal(r->buf.record.kind,
					 i < n ? RECORD_DATA : RECORD_FAULT);
		}
		free(many);
	}
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copyinstr),
		cmocka_unit_test(test_copyin),
		cmocka_unit_test(test_strlen),
		cmocka_unit_test(test_scratch_is_per_firing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
